// SPDX-License-Identifier: Apache-2.0
// The gates of docs/harness.md where somebody else has gone through the elements and only norms are
// left: published candidates, whose outputs PyTorch compares (docs/claims.md).
#pragma once
#include <optional>
#include <span>

#include "model/dtype.h"
#include "torch/worker.h"

namespace kp::harness {

/// The tightest of f32, tf32 and bf16 whose gate on the whole tensor all outputs pass; nothing when
/// they pass none, or when an output differs in number, shape, or where it is finite. `distances`
/// come from inputs nudged by a rounding of f32. Errors are held against the deviation of what is
/// expected, which is stricter than elsewhere where inputs have another mean than zero.
std::optional<Precision> tightest_class(std::span<const torch::OutputDistance> distances);

/// The first output that keeps `distances` from `precision`: "out is off by 0.3 of its deviation,
/// 2e-05 is allowed; element 17 is 0, expected 1.25".
std::string why_not(std::span<const torch::OutputDistance> distances, Precision precision);

}  // namespace kp::harness

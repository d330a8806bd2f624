// SPDX-License-Identifier: Apache-2.0
// Workloads whose inputs differ from the contract's, for what a screen reports beside its verdict.
#pragma once
#include <optional>

#include "model/task.h"

namespace kp::harness {

/// `workload` with floating tensors from N(0, 1) that have another mean, or stand in a file;
/// nothing where there are none.
std::optional<Workload> with_zero_mean(const Workload& workload, const Declaration& declaration);

/// `workload` with floating tensors as in the one that is timed beside the result, with its
/// author's inputs; nothing where there is none, or it has the same.
std::optional<Workload> with_published(const Workload& workload, const Task& task);

/// Every floating tensor takes part in every set of values.
Workload freed(const Workload& workload, const Declaration& declaration);

}  // namespace kp::harness

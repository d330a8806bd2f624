// SPDX-License-Identifier: Apache-2.0
// Two clocks that must agree: events around the candidate's launches, and CUPTI's records of the
// kernels that ran between them.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "device/hardware.h"
#include "model/evaluation.h"

namespace kp::harness {

/// What `trace` holds against the plan: other kernels, or events that end before the kernels do.
std::optional<Rejected> contradiction(std::span<const device::BoundStep> steps,
                                      const device::TraceReport& trace);

/// A note of what was compared, or that it could not be; an Outcome when the candidate fails or
/// what was seen contradicts the plan. `workload` for messages.
struct SpanRequest {
  device::Hardware& hardware;
  device::Loaded& loaded;
  std::span<const device::BoundStep> steps;
  std::string workload;
  double deadline_seconds = 60;
};
Result<std::variant<std::string, Outcome>> check_span(const SpanRequest& request);

}  // namespace kp::harness

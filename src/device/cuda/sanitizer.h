// SPDX-License-Identifier: Apache-2.0
// The steps of a candidate once more, under compute-sanitizer: in a process of its own for each of
// its tools, over arrays that have exactly the size that the plan gives them.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/cuda/worker.h"
#include "device/device.h"

namespace kp::device::cuda {

/// An array as the candidate finds it. Without contents nobody wrote it: reading it is a fault.
struct SanitizedArray {
  std::uint64_t address = 0, bytes = 0;
  std::optional<std::vector<std::byte>> contents;
};
struct SanitizeRequest {
  const WorkerSpec& worker;
  std::string cubin;
  std::span<const BoundStep> steps;
  std::vector<SanitizedArray> arrays;
  double deadline_seconds = 60;
};

/// Which of the arrays the steps name, in parameters, tensor maps and as what is zeroed.
bool is_named(std::span<const BoundStep> steps, std::uint64_t address, std::uint64_t bytes);

/// The first fault that memcheck, initcheck, synccheck and racecheck found, in this order. Errors:
/// kUnsupported when nothing was found and not all of them came to an end, with what was not done
/// and why. racecheck leaves plans with tensor maps or clusters out, whose copies it does not
/// follow.
Result<Mishap> sanitize(const SanitizeRequest& request);

}  // namespace kp::device::cuda

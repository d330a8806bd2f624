// SPDX-License-Identifier: Apache-2.0
// The steps of a candidate once more, under compute-sanitizer: in a process of its own for each of
// its tools, over arrays that have exactly the size that the plan gives them.
#pragma once
#include "device/cuda/replay_file.h"
#include "device/cuda/worker.h"

namespace kp::device::cuda {

struct SanitizeRequest {
  const WorkerSpec& worker;
  Replay replay;  // an array without contents is not written: reading it is a fault
  double deadline_seconds = 60;
};

/// The first fault that memcheck, initcheck, synccheck and racecheck found, in this order. Errors:
/// kUnsupported when nothing was found and not all of them came to an end, with what was not done
/// and why. racecheck leaves plans with tensor maps or clusters out, whose copies it does not
/// follow.
Result<Mishap> sanitize(const SanitizeRequest& request);

}  // namespace kp::device::cuda

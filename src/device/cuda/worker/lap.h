// SPDX-License-Identifier: Apache-2.0
// Work on the stream between events, with all that makes its time worth something: L2 flushed, the
// host out of the way, the SM clock read before and after.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "device/cuda/worker/executor.h"
#include "device/cuda/worker/steps.h"

namespace kp::device::cuda {

/// What is timed: an event stands before the first step and behind each `stride`-th.
struct LapPlan {
  std::vector<const ReadyStep*> steps;
  std::size_t stride = 1;
  bool cold = true;
};
struct LapReading {
  std::vector<double> nanoseconds;  // between neighbouring events
  std::optional<double> sm_hz;
};

/// Runs `plan` to its end. After a failure Fault::step is the index in plan.steps, where known.
Faulty<LapReading> run_lap(Executor& executor, const LapPlan& plan);

/// What a pair of events with nothing between takes, as run_lap would measure it.
Faulty<double> empty_lap(Executor& executor);

}  // namespace kp::device::cuda

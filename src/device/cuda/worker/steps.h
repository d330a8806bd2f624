// SPDX-License-Identifier: Apache-2.0
// Steps of a plan, ready to be put onto the stream.
#pragma once
#include <array>
#include <variant>
#include <vector>

#include "device/cuda/protocol.h"
#include "device/cuda/worker/driver_call.h"
#include "device/cuda/worker/executor.h"

namespace kp::device::cuda {

struct ReadyLaunch {
  CUfunction function = nullptr;
  CUlaunchConfig config{};  // its attributes are set by enqueue
  std::vector<CUlaunchAttribute> attributes;
  std::vector<std::byte> parameters;  // with the tensor maps encoded in their places
  std::vector<std::size_t> places;    // of each parameter in there, where the driver must ask
};
using ReadyStep = std::variant<ReadyLaunch, BoundZero>;
using ReadySteps = std::vector<ReadyStep>;

/// Faults name the step.
Faulty<ReadySteps> read_steps(Executor& executor, int module, const nlohmann::json& steps);
/// Of a request with the members "module" and "steps".
Faulty<ReadySteps> read_steps(Executor& executor, const nlohmann::json& request);

/// Onto executor.stream. The fault does not name the step.
Faulty<void> enqueue(const Executor& executor, const ReadyStep& step);

}  // namespace kp::device::cuda

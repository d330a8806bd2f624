// SPDX-License-Identifier: Apache-2.0
// The verb `count` (protocol.h): hardware counters of each launch of the steps.
#pragma once
#include <nlohmann/json.hpp>

#include "device/cuda/worker/driver_call.h"
#include "device/cuda/worker/executor.h"

namespace kp::device::cuda {

/// The answer's "launches" and "passes". The steps run once for each pass, from a flushed L2. The
/// fault names a step where a launch failed; CUDA_ERROR_NOT_SUPPORTED, with what to do in its name,
/// where this process may not count.
Faulty<nlohmann::json> count(Executor& executor, const nlohmann::json& request);

}  // namespace kp::device::cuda

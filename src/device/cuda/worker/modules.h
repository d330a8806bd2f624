// SPDX-License-Identifier: Apache-2.0
// Device code that is loaded.
#pragma once
#include <string>

#include "device/cuda/worker/driver_call.h"
#include "device/cuda/worker/executor.h"

namespace kp::device::cuda {

/// By the number that `load` answered.
Faulty<Module*> find_module(Executor& executor, int number);

/// Ready for all the shared memory and cluster sizes that the GPU allows.
Faulty<CUfunction> find_kernel(const Executor& executor, Module& module, const std::string& name);

}  // namespace kp::device::cuda

// SPDX-License-Identifier: Apache-2.0
// From a request to its answer. Used by gpu_main.cc.
#pragma once
#include "device/cuda/protocol.h"
#include "device/cuda/worker/executor.h"

namespace kp::device::cuda {

struct Dispatched {
  Frame answer;
  bool last = false;  // the context is lost: answer, then end
};
Dispatched dispatch(Executor& executor, const Frame& request);

}  // namespace kp::device::cuda

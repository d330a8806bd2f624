// SPDX-License-Identifier: Apache-2.0
// What this machine's CUDA driver says of its GPUs. The driver library is opened at run time, so
// that the program runs without it. Used by open.cc.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"

namespace kp::device {

/// Product names of the GPUs, by device number; may be empty. kUnavailable says why the driver
/// cannot be asked: no libcuda.so.1, or cuInit failed with a number.
Result<std::vector<std::string>> cuda_devices();

}  // namespace kp::device

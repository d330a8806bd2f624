// SPDX-License-Identifier: Apache-2.0
// NVIDIA GPUs behind the seam. Used by open.cc.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "device/device.h"

namespace kp::device {

/// Product names of the GPUs, by device number; may be empty. kUnavailable says why the driver
/// cannot be asked: no libcuda.so.1, or cuInit failed with a number.
Result<std::vector<std::string>> cuda_devices();

/// Whether this machine has the driver's library; asks nothing of it, so that it costs nothing.
bool has_cuda_driver();

/// `which`: the number of the device, empty for the first. Errors: no driver, no such GPU, no
/// kernelpro-gpu, no compiler for our own kernels; a GPU that fails a known kernel. `stop`, which
/// may be null, ends every wait for the GPU. KERNELPRO_SANDBOX (full, landlock, minimal) is the
/// strongest confinement of candidates that is tried.
Result<std::unique_ptr<Device>> open_cuda(const std::string& which, const StopFlag* stop = nullptr);

}  // namespace kp::device

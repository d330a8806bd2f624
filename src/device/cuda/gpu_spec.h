// SPDX-License-Identifier: Apache-2.0
// The DeviceSpec of the GPU at hand: limits as its driver tells them, peaks from specs/.
#pragma once
#include "device/cuda/worker.h"
#include "device/device.h"

namespace kp::device::cuda {

/// "sm_90"; empty when the driver does not say.
std::string architecture_of(const Opened& opened);

/// The spec whose product is this GPU's, with the driver's limits. A GPU without a spec takes what
/// its architecture has in common with the nearest one, and its peaks are unknown: NaN, which
/// compares false with every bound. Errors: no spec at all can be read.
Result<DeviceSpec> spec_of(const Opened& opened);

/// Name, spec, and the forms of launch that its compute capability has.
Result<Description> description_of(const Opened& opened, int gpu);

}  // namespace kp::device::cuda

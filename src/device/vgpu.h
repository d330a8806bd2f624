// SPDX-License-Identifier: Apache-2.0
// The virtual GPU behind the seam. Only open.cc makes one.
#pragma once
#include <memory>
#include <string>

#include "device/device.h"

namespace kp::device {

/// `spec` as read_device_spec takes it. Errors: its, and those of a spec without a complete [model]
/// table.
Result<std::unique_ptr<Device>> open_vgpu(const std::string& spec, const StopFlag* stop);

}  // namespace kp::device

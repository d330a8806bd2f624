// SPDX-License-Identifier: Apache-2.0
#include "vgpu/alu/narrow.h"

namespace kp::vgpu::KP_ALU_LEVEL {

Forms tensor_forms() { return {nullptr, 0}; }

}  // namespace kp::vgpu::KP_ALU_LEVEL

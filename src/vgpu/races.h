// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "vgpu/launch.h"
namespace kp::vgpu {
class Races {
 public:
  explicit Races(const Launch&) {}
};
}  // namespace kp::vgpu

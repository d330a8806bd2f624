// SPDX-License-Identifier: Apache-2.0
// What tools count in, as numbers to divide by.
#pragma once
#include "vgpu/cache.h"
#include "vgpu/instruction.h"

namespace kp::diagnose {

inline constexpr double kLanesPerWarp = vgpu::kLanes;
inline constexpr double kSectorBytes = vgpu::kSectorBytes;
/// The L1 serves one line a clock and SM; one word of all lanes is one line.
inline constexpr double kSectorsPerWavefront = vgpu::kSectorsPerLine;

}  // namespace kp::diagnose

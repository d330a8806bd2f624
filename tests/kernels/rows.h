// SPDX-License-Identifier: Apache-2.0
// For the tests of arithmetic: kernels whose output has a row of kN results for each operation.
#pragma once
#include "kernels/compiled.h"

namespace kp::vgpu {

inline constexpr std::size_t kN = 32;

/// Moderate numbers of both signs, some of them equal in pairs.
inline float moderate(std::size_t i, int salt) {
  const int step = (int(i) * 37 + salt * 11) % 61 - 30;
  return float(step) * 0.21875f + (step == 0 ? 1.0f : 0.0f);
}

}  // namespace kp::vgpu

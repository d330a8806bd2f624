// SPDX-License-Identifier: Apache-2.0
// What Operands::imm means to setp and set: alu.cc writes it, compare.cc reads it.
#pragma once
#include <cstdint>

namespace kp::vgpu {

/// Bits 0..1: the boolean operator that joins the comparison with predicate c.
enum class Combine : std::uint8_t { kAlone, kAnd, kOr, kXor };
/// Bits 2..3: what `set` writes for true.
enum class SetTrue : std::uint8_t { kOnes, kFloatOne, kHalfOne, kBfloatOne };

constexpr std::uint32_t compare_imm(Combine combine, SetTrue yes) {
  return static_cast<std::uint32_t>(combine) | static_cast<std::uint32_t>(yes) << 2;
}

}  // namespace kp::vgpu

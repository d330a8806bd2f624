// SPDX-License-Identifier: Apache-2.0
// Special registers of PTX by name. Used by lowering.
#pragma once
#include <optional>
#include <string_view>

#include "vgpu/program.h"

namespace kp::vgpu {

struct Special {
  SpecialRegister which = SpecialRegister::kOther;
  std::uint8_t lane_bytes = 4;
  std::uint8_t index = 0;                 // kEnvReg: its number
  std::optional<std::uint32_t> constant;  // what a launch without clusters fixes
};

/// "%tid.x" ...; nothing for an ordinary register.
std::optional<Special> special_register(std::string_view name);

/// Bytes a lane of a special register that changes while a thread runs; 0 for all others.
std::uint8_t clock_bytes(std::string_view name);

}  // namespace kp::vgpu

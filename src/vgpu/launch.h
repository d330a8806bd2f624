// SPDX-License-Identifier: Apache-2.0
// What stays the same while a launch runs; machine.cc fills it, blocks and warps read it.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "model/device_spec.h"
#include "vgpu/machine.h"
#include "vgpu/memory.h"
#include "vgpu/program.h"

namespace kp::vgpu {

struct Launch {
  const Program& program;
  const Grid& grid;
  const DeviceSpec& spec;
  Memory& memory;
  std::uint64_t schedule_seed = 0;
  unsigned threads = 0, warps = 0;             // of one block
  std::uint64_t blocks = 0;                    // of the grid
  std::uint64_t shared_bytes = 0;              // of one block, static and dynamic
  std::vector<std::uint64_t> statics;          // device address of each of Program::statics
  std::uint64_t workspace = 0;                 // grid barrier of a cooperative launch; 0: none
  std::span<const std::byte> parameter_bytes;  // aligned to 8 bytes
  std::uint64_t parameters = 0;  // device copy of the parameters; 0: nobody takes its address
  bool concurrent = false;       // blocks run on several host threads: atomics must be atomic
};

}  // namespace kp::vgpu

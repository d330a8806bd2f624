// SPDX-License-Identifier: Apache-2.0
// Occupancy arithmetic; the algorithm of the CUDA occupancy calculator for compute capability 8
// and 9.
#pragma once
#include <cstdint>
#include <string_view>

#include "model/device_spec.h"

namespace kp::vgpu {

struct BlockResources {
  unsigned threads = 0, registers = 0;  // registers per thread
  std::uint64_t shared_bytes = 0;       // static + dynamic
  unsigned barriers = 1;
};

struct Occupancy {
  int blocks_per_sm = 0;  // 0: does not launch
  int warps_per_block = 0;
  int limit_registers = 0, limit_shared = 0, limit_warps = 0, limit_blocks = 0, limit_barriers = 0;
  double fraction = 0;               // resident warps over the most there can be
  std::string_view limiter() const;  // "registers", "shared memory", "warps", "blocks", "barriers"
};

Occupancy occupancy(const DeviceSpec& spec, const BlockResources& block);
/// The most registers per thread (a multiple of 8) that still allow `blocks` per SM; 0 if none
/// does.
int registers_for(const DeviceSpec& spec, BlockResources block, int blocks);
/// The most shared memory per block that still allows `blocks` per SM, in bytes.
std::int64_t shared_for(const DeviceSpec& spec, const BlockResources& block, int blocks);

/// The most threads of one block with that many registers each, a multiple of 32.
int threads_for(const DeviceSpec& spec, unsigned registers);

}  // namespace kp::vgpu

// SPDX-License-Identifier: Apache-2.0
#include "vgpu/occupancy.h"

#include <algorithm>
#include <limits>

namespace kp::vgpu {
namespace {

constexpr int kWarpThreads = 32;
constexpr int kRegisterUnit = 256;  // registers are given to a warp in units of 256, 8 a thread

constexpr std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return unit <= 1 ? value : (value + unit - 1) / unit * unit;
}

int warps_in_block(const BlockResources& block) {
  return static_cast<int>((block.threads + kWarpThreads - 1) / kWarpThreads);
}

/// Warps that the registers of one scheduler's partition hold, times the schedulers.
int warps_by_registers(const DeviceSpec& spec, unsigned registers) {
  const std::int64_t per_warp = round_up(std::int64_t{registers} * kWarpThreads, kRegisterUnit);
  if (per_warp == 0) return std::numeric_limits<int>::max();
  const std::int64_t partition = spec.registers_per_sm / spec.schedulers_per_sm;
  return static_cast<int>(partition / per_warp) * spec.schedulers_per_sm;
}

int blocks_by_registers(const DeviceSpec& spec, const BlockResources& block) {
  const int warps = warps_in_block(block);
  const std::int64_t per_warp =
      round_up(std::int64_t{block.registers} * kWarpThreads, kRegisterUnit);
  if (round_up(warps, spec.schedulers_per_sm) * per_warp > spec.registers_per_sm) return 0;
  if (block.registers > static_cast<unsigned>(spec.registers_per_thread)) return 0;
  return warps_by_registers(spec, block.registers) / warps;
}

int blocks_by_shared(const DeviceSpec& spec, std::uint64_t shared_bytes) {
  if (shared_bytes > static_cast<std::uint64_t>(spec.shared_per_block)) return 0;
  const std::int64_t per_block = round_up(
      static_cast<std::int64_t>(shared_bytes) + spec.shared_reserved, spec.shared_granularity);
  if (per_block == 0) return std::numeric_limits<int>::max();
  return static_cast<int>(spec.shared_per_sm / per_block);
}

}  // namespace

std::string_view Occupancy::limiter() const {
  if (limit_registers == blocks_per_sm) return "registers";
  if (limit_shared == blocks_per_sm) return "shared memory";
  if (limit_warps == blocks_per_sm) return "warps";
  if (limit_barriers == blocks_per_sm && limit_barriers < limit_blocks) return "barriers";
  return "blocks";
}

Occupancy occupancy(const DeviceSpec& spec, const BlockResources& block) {
  Occupancy result;
  if (block.threads == 0 || block.threads > static_cast<unsigned>(spec.threads_per_block))
    return result;
  result.warps_per_block = warps_in_block(block);
  result.limit_registers = blocks_by_registers(spec, block);
  result.limit_shared = blocks_by_shared(spec, block.shared_bytes);
  result.limit_warps = spec.warps_per_sm / result.warps_per_block;
  result.limit_blocks = spec.blocks_per_sm;
  result.limit_barriers = spec.barriers_per_sm / static_cast<int>(std::max(block.barriers, 1u));
  result.blocks_per_sm = std::min({result.limit_registers, result.limit_shared, result.limit_warps,
                                   result.limit_blocks, result.limit_barriers});
  result.fraction =
      static_cast<double>(result.blocks_per_sm * result.warps_per_block) / spec.warps_per_sm;
  return result;
}

int registers_for(const DeviceSpec& spec, BlockResources block, int blocks) {
  constexpr unsigned kStep = kRegisterUnit / kWarpThreads;
  const auto most = static_cast<unsigned>(spec.registers_per_thread) / kStep * kStep;
  for (block.registers = most; block.registers > 0; block.registers -= kStep) {
    if (occupancy(spec, block).blocks_per_sm >= blocks) return static_cast<int>(block.registers);
  }
  return 0;
}

std::int64_t shared_for(const DeviceSpec& spec, const BlockResources& block, int blocks) {
  BlockResources empty = block;
  empty.shared_bytes = 0;
  if (blocks <= 0 || occupancy(spec, empty).blocks_per_sm < blocks) return 0;
  const std::int64_t share = spec.shared_per_sm / blocks;
  const std::int64_t whole = share - share % std::max<std::int64_t>(spec.shared_granularity, 1);
  return std::clamp<std::int64_t>(whole - spec.shared_reserved, 0, spec.shared_per_block);
}

int threads_for(const DeviceSpec& spec, unsigned registers) {
  BlockResources block{.threads = static_cast<unsigned>(spec.threads_per_block),
                       .registers = registers};
  while (block.threads > 0 && occupancy(spec, block).blocks_per_sm == 0)
    block.threads -= std::min<unsigned>(kWarpThreads, block.threads);
  return static_cast<int>(block.threads);
}

}  // namespace kp::vgpu

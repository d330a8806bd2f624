// SPDX-License-Identifier: Apache-2.0
#include "vgpu/warp.h"

#include <algorithm>
#include <bit>

#include "vgpu/lanes.h"

namespace kp::vgpu {

void Warp::start(std::uint32_t lanes) {
  initial = alive = lanes;
  splits.clear();
  splits.push_back({.pc = 0, .mask = lanes});
}

int Warp::next() const {
  int best = -1;
  for (int i = 0; i < int(splits.size()); ++i) {
    const Split& each = splits[std::size_t(i)];
    if (each.wait != Wait::kReady) continue;
    if (best < 0) {
      best = i;
      continue;
    }
    const Split& found = splits[std::size_t(best)];
    if (each.turn < found.turn || (each.turn == found.turn && each.pc < found.pc)) best = i;
  }
  return best;
}

int Warp::merge(int i) {
  for (int k = int(splits.size()) - 1; k >= 0; --k) {
    Split& into = splits[std::size_t(i)];
    const Split& from = splits[std::size_t(k)];
    if (k == i || from.pc != into.pc || from.wait != Wait::kReady || from.calls != into.calls)
      continue;
    into.mask |= from.mask;
    into.turn = std::max(into.turn, from.turn);
    splits.erase(splits.begin() + k);
    if (k < i) --i;
  }
  return i;
}

std::uint32_t Warp::horizon(int i, std::uint32_t end) const {
  const std::uint32_t pc = splits[std::size_t(i)].pc;
  std::uint32_t lowest = end;
  for (int k = 0; k < int(splits.size()); ++k) {
    const Split& other = splits[std::size_t(k)];
    if (k == i || other.wait != Wait::kReady) continue;
    // An equal pc that did not merge has another call stack: nothing to wait for there.
    if (other.pc < pc) return 0;
    if (other.pc > pc) lowest = std::min(lowest, other.pc);
  }
  return lowest;
}

namespace {

/// Special registers of the launch: the same for all threads.
std::uint64_t launch_value(const Launch& launch, SpecialUse use) {
  const auto& block = launch.grid.block;
  const auto& grid = launch.grid.grid;
  using enum SpecialRegister;
  switch (use.which) {
    case kNtidX:
    case kNtidY:
    case kNtidZ:
      return block[unsigned(use.which) - unsigned(kNtidX)];
    case kNctaidX:
    case kNctaidY:
    case kNctaidZ:
      return grid[unsigned(use.which) - unsigned(kNctaidX)];
    case kNwarpId:
      return launch.warps;
    case kNsmId:
      return std::uint64_t(launch.spec.sm_count);
    case kDynamicSharedSize:
      return launch.grid.dynamic_shared;
    case kTotalSharedSize:
      return launch.shared_bytes;
    case kEnvReg:
      // Cooperative groups read the address of the grid's workspace here: high half, low half.
      if (use.index == 1) return launch.workspace >> 32;
      return use.index == 2 ? launch.workspace & 0xffff'ffff : 0;
    default:
      return 0;
  }
}

/// Special registers of a thread, and through launch_value those of the launch.
std::uint64_t thread_value(const Launch& launch, const Warp& warp, SpecialUse use, unsigned lane) {
  const auto& block = launch.grid.block;
  const std::uint32_t thread = thread_of(warp, lane);
  const std::uint32_t bit = 1u << lane;
  using enum SpecialRegister;
  switch (use.which) {
    case kTidX:
      return thread % block[0];
    case kTidY:
      return thread / block[0] % block[1];
    case kTidZ:
      return thread / block[0] / block[1];
    case kLaneId:
      return lane;
    case kWarpId:
      return warp.number;
    case kLaneMaskEq:
      return bit;
    case kLaneMaskLt:
      return bit - 1;
    case kLaneMaskLe:
      return bit | (bit - 1);
    case kLaneMaskGt:
      return ~(bit | (bit - 1));
    case kLaneMaskGe:
      return ~(bit - 1);
    default:
      return launch_value(launch, use);
  }
}

bool is_position(SpecialRegister which) {
  using enum SpecialRegister;
  return which == kCtaidX || which == kCtaidY || which == kCtaidZ || which == kSmId;
}

}  // namespace

void fill_constants(const Launch& launch, const Warp& warp) {
  for (const Constant& each : launch.program.constants)
    for (unsigned lane = 0; lane < kLanes; ++lane)
      set_lane(warp.file, each.offset, each.lane_bytes, lane, each.bits);
  for (std::size_t i = 0; i < launch.statics.size(); ++i)
    for (const std::uint32_t offset : launch.program.statics[i].address_registers)
      for (unsigned lane = 0; lane < kLanes; ++lane)
        set_lane(warp.file, offset, 8, lane, launch.statics[i]);
  for (const SpecialUse& each : launch.program.specials)
    for (unsigned lane = 0; lane < kLanes; ++lane)
      set_lane(warp.file, each.offset, each.lane_bytes, lane,
               thread_value(launch, warp, each, lane));
}

void fill_position(const Launch& launch, const Warp& warp, const std::uint32_t (&block)[3],
                   std::uint32_t sm) {
  for (const SpecialUse& each : launch.program.specials) {
    if (!is_position(each.which)) continue;
    const auto axis = unsigned(each.which) - unsigned(SpecialRegister::kCtaidX);
    const std::uint32_t value = each.which == SpecialRegister::kSmId ? sm : block[axis];
    for (unsigned lane = 0; lane < kLanes; ++lane)
      set_lane(warp.file, each.offset, each.lane_bytes, lane, value);
  }
}

}  // namespace kp::vgpu

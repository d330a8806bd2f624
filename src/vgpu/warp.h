// SPDX-License-Identifier: Apache-2.0
// A warp: a register file and the groups of lanes ("splits") that stand at one program counter
// each. block.h owns warps, interpreter.h runs them.
#pragma once
#include <cstdint>
#include <vector>

#include "vgpu/launch.h"

namespace kp::vgpu {

enum class Wait : std::uint8_t {
  kReady,
  kCollective,  // at a .sync instruction whose members have not all arrived
  kBarrier,     // at barrier number `barrier` of the block
};

/// Lanes that stand at the same pc with the same call stack. The lanes of different splits of a
/// warp are disjoint, and together they are the warp's live lanes.
struct Split {
  std::uint32_t pc = 0;
  std::uint32_t mask = 0;
  Wait wait = Wait::kReady;
  std::uint32_t barrier = 0;
  std::uint64_t turn = 0;            // how often it used up its quantum; fewer goes first
  std::vector<std::uint32_t> calls;  // return addresses, innermost last
};

struct Warp {
  unsigned number = 0;        // in the block
  std::byte* file = nullptr;  // register file, Program::file_bytes
  std::uint32_t initial = 0;  // lanes that exist
  std::uint32_t alive = 0;    // lanes that have not exited
  std::vector<Split> splits;
  Allocation* recent = nullptr;  // where its last global access went

  /// All lanes at pc 0.
  void start(std::uint32_t lanes);
  /// The runnable split that goes next: fewest turns, then lowest pc. -1: none is runnable.
  int next() const;
  /// Joins to splits[i] the runnable splits at the same pc with the same call stack; i may move.
  int merge(int i);
  /// Where splits[i] must stop and look around: the lowest pc of the other runnable splits; 0 when
  /// it already stands behind one of them; `end` when it is alone.
  std::uint32_t horizon(int i, std::uint32_t end) const;
  void exit(std::uint32_t lanes) { alive &= ~lanes; }
  bool done() const { return alive == 0; }
};

/// The thread's number in its block.
inline std::uint32_t thread_of(const Warp& warp, unsigned lane) {
  return warp.number * kLanes + lane;
}

/// Fills the registers that do not change while the warp's slot lives: constants, addresses of
/// module variables and the special registers of the launch and the thread.
void fill_constants(const Launch& launch, const Warp& warp);
/// Fills the special registers that depend on the block's place in the grid.
void fill_position(const Launch& launch, const Warp& warp, const std::uint32_t (&block)[3],
                   std::uint32_t sm);

}  // namespace kp::vgpu

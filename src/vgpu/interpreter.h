// SPDX-License-Identifier: Apache-2.0
// The loop that runs a warp. One instance for each mode, so that a mode costs nothing in the
// others.
#pragma once
#include <cstdint>

#include "vgpu/block.h"
#include "vgpu/counters.h"

namespace kp::vgpu {

enum class Pause {
  kFuel,   // may go on
  kYield,  // may go on, and asked to let others run first
  kWaits,  // no split of the warp can run until another warp does something
  kDone,   // all lanes have exited
  kFault,  // Block::fault says why
};

template <Mode M>
class Interpreter {
 public:
  /// `counters` only in count mode, else null.
  Interpreter(Block& block, SmCounters* counters) : block_(block), counters_(counters) {}

  /// Runs the warp for at most `fuel` instructions; what is left is taken off `fuel`.
  Pause run(Warp& warp, std::uint64_t& fuel);

 private:
  enum class Step {
    kNext,   // the running split stands at its next instruction
    kLook,   // splits have changed: choose again
    kYield,  // as kNext, and others go first
    kFault,
  };
  Split& running(Warp& warp) { return warp.splits[std::size_t(current_)]; }
  Step run_split(Warp& warp, std::uint32_t horizon, std::uint64_t& fuel);
  Step control(Warp& warp, const Instruction& in, std::uint32_t active);
  Step branch(Warp& warp, std::uint32_t target, std::uint32_t active);
  Step branch_table(Warp& warp, const Instruction& in, std::uint32_t active);
  Step call(Warp& warp, const Instruction& in, std::uint32_t active);
  /// The function that a lane calls; null after a fault.
  const CalledFunction* callee(Warp& warp, const Instruction& in, unsigned lane);
  /// Lanes of the running split enter the function.
  bool enter(Warp& warp, const Instruction& in, const CalledFunction& function,
             std::uint32_t lanes);
  Step go_back(Warp& warp, std::uint32_t active);
  /// In check mode: a fence, or a wait for asynchronous copies.
  void order_memory(Warp& warp, const Instruction& in, std::uint32_t active);
  void read_clock(Warp& warp, const Instruction& in, std::uint32_t active);
  Step trap(Warp& warp, std::uint32_t active);
  Step leave(Warp& warp, std::uint32_t lanes);
  Step collective(Warp& warp, const Instruction& in, std::uint32_t active);
  Step barrier(Warp& warp, const Instruction& in, std::uint32_t active);
  /// Gives `lanes` of the running split to a new one at `pc`.
  void fork(Warp& warp, std::uint32_t lanes, std::uint32_t pc);
  /// Removes the running split, which has no lanes left.
  void drop(Warp& warp);
  void take_turn(Warp& warp);

  Block& block_;
  SmCounters* counters_;
  int current_ = 0;  // index of the running split; -1: it has gone
};

}  // namespace kp::vgpu

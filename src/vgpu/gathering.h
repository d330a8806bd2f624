// SPDX-License-Identifier: Apache-2.0
// Lanes of a warp that meet at a .sync instruction. interpreter.cc runs the instruction for each
// group that is complete.
#pragma once
#include <cstdint>

#include "vgpu/warp.h"

namespace kp::vgpu {

/// One arrival. Lanes that name different member masks at the same instruction form groups of their
/// own, as after match.any. A group is complete when every member that has not exited is at the
/// same instruction; for bar.warp.sync (no arithmetic) at any bar.warp.sync with the same mask.
class Gathering {
 public:
  /// splits[current] has just arrived at `in`; splits that wait at the same instruction join it,
  /// and `current` follows its new place.
  Gathering(Warp& warp, int& current, const Program& program);
  /// The lanes of the next complete group, 0 when there is none left.
  std::uint32_t next();
  /// Sends the lanes of complete groups to the next instruction; the rest of the split waits.
  void move_on();

 private:
  Split& running() { return warp_.splits[std::size_t(current_)]; }
  std::uint32_t elsewhere(std::uint32_t members) const;
  void send_on(std::size_t split, std::uint32_t lanes);

  Warp& warp_;
  int& current_;
  const Program& program_;
  const Instruction& in_;
  std::uint32_t left_ = 0, complete_ = 0, released_ = 0;
};

}  // namespace kp::vgpu

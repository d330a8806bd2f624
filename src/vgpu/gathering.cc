// SPDX-License-Identifier: Apache-2.0
#include "vgpu/gathering.h"

#include "vgpu/lanes.h"

namespace kp::vgpu {

Gathering::Gathering(Warp& warp, int& current, const Program& program)
    : warp_(warp), current_(current), program_(program), in_(program.code[running().pc]) {
  for (Split& each : warp_.splits)
    if (each.wait == Wait::kCollective && each.pc == running().pc) each.wait = Wait::kReady;
  current_ = warp_.merge(current_);
  left_ = running().mask;
}

std::uint32_t Gathering::elsewhere(std::uint32_t members) const {
  if (in_.alu != nullptr) return 0;
  std::uint32_t lanes = 0;
  for (const Split& each : warp_.splits) {
    if (each.wait != Wait::kCollective) continue;
    const Instruction& at = program_.code[each.pc];
    if (at.alu != nullptr) continue;
    for_lanes(each.mask, [&](unsigned lane) {
      if (word(warp_.file, at.op.d, lane) == members) lanes |= bit_of(lane);
    });
  }
  return lanes;
}

std::uint32_t Gathering::next() {
  while (left_ != 0) {
    const std::uint32_t members = word(warp_.file, in_.op.d, first_lane(left_));
    std::uint32_t group = 0;
    for_lanes(left_, [&](unsigned lane) {
      if (word(warp_.file, in_.op.d, lane) == members) group |= bit_of(lane);
    });
    left_ &= ~group;
    const std::uint32_t others = elsewhere(members);
    if ((members & warp_.alive & ~(group | others)) != 0) continue;
    complete_ |= group;
    released_ |= others;
    return group | others;
  }
  return 0;
}

void Gathering::send_on(std::size_t index, std::uint32_t lanes) {
  Split& split = warp_.splits[index];
  if ((split.mask & ~lanes) == 0) {
    split.wait = Wait::kReady;
    ++split.pc;
    return;
  }
  Split gone = split;
  gone.mask &= lanes;
  gone.wait = Wait::kReady;
  ++gone.pc;
  split.mask &= ~lanes;
  split.wait = Wait::kCollective;
  warp_.splits.push_back(std::move(gone));
}

void Gathering::move_on() {
  const std::size_t count = warp_.splits.size();
  for (std::size_t i = 0; i < count; ++i)
    if (int(i) != current_ && warp_.splits[i].wait == Wait::kCollective &&
        (warp_.splits[i].mask & released_) != 0)
      send_on(i, released_);
  if (complete_ != 0)
    send_on(std::size_t(current_), complete_);
  else
    running().wait = Wait::kCollective;
}

}  // namespace kp::vgpu

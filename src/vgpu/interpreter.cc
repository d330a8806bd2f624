// SPDX-License-Identifier: Apache-2.0
#include "vgpu/interpreter.h"

#include "vgpu/access.h"
#include "vgpu/checks.h"
#include "vgpu/gathering.h"
#include "vgpu/lanes.h"

namespace kp::vgpu {
namespace {

constexpr std::uint32_t kProxyFence = 3;  // orders other kinds of access, not other threads

std::uint32_t guarded(const Warp& warp, const Instruction& in, std::uint32_t mask) {
  if (in.guard == kNone) return mask;
  const std::uint32_t bits = predicate(warp.file, in.guard);
  return mask & (in.guard_negated ? ~bits : bits);
}

}  // namespace

template <Mode M>
Pause Interpreter<M>::run(Warp& warp, std::uint64_t& fuel) {
  const auto end = std::uint32_t(block_.launch.program.code.size());
  while (!warp.done()) {
    const int next = warp.next();
    if (next < 0) return Pause::kWaits;
    if (fuel == 0) return Pause::kFuel;
    current_ = warp.merge(next);
    if (running(warp).pc >= end) {
      --fuel;
      leave(warp, running(warp).mask);
      continue;
    }
    const Step step = run_split(warp, warp.horizon(current_, end), fuel);
    if (step == Step::kFault) return Pause::kFault;
    if (step == Step::kYield || (fuel == 0 && warp.splits.size() > 1)) take_turn(warp);
    if (step == Step::kYield) return Pause::kYield;
  }
  return Pause::kDone;
}

template <Mode M>
typename Interpreter<M>::Step Interpreter<M>::run_split(Warp& warp, std::uint32_t horizon,
                                                        std::uint64_t& fuel) {
  const Instruction* const code = block_.launch.program.code.data();
  std::byte* const file = warp.file;
  std::uint32_t pc = running(warp).pc, mask = running(warp).mask;
  std::uint64_t left = fuel;
  Step step = Step::kNext;
  do {
    const Instruction& in = code[pc];
    const std::uint32_t active = guarded(warp, in, mask);
    --left;
    if constexpr (M == Mode::kCount) counters_->issue(pc, active, mask);
    if constexpr (M == Mode::kCheck) {
      step = block_.checks->guard(block_, warp, pc, mask) ? Step::kNext : Step::kFault;
      if (step == Step::kFault) break;
    }
    if (in.kind == Kind::kAlu) {
      if constexpr (M == Mode::kCheck)
        block_.checks->alu(warp, in, active);
      else if (active != 0)
        in.alu(file, in.op, active);
      ++pc;
    } else if (in.kind == Kind::kBranch && (active == mask || active == 0)) {
      pc = active != 0 ? in.extra : pc + 1;
    } else {
      running(warp).pc = pc;
      step = control(warp, in, active);
      if (step != Step::kNext) break;
      pc = running(warp).pc;
      mask = running(warp).mask;
    }
  } while (pc < horizon && left != 0);
  if (step == Step::kNext) running(warp).pc = pc;
  block_.clock += fuel - left;
  fuel = left;
  return step;
}

template <Mode M>
typename Interpreter<M>::Step Interpreter<M>::control(Warp& warp, const Instruction& in,
                                                      std::uint32_t active) {
  switch (in.kind) {
    case Kind::kBranch:
      return branch(warp, in.extra, active);
    case Kind::kBranchTable:
      return branch_table(warp, in, active);
    case Kind::kCall:
      return call(warp, in, active);
    case Kind::kReturn:
      return go_back(warp, active);
    case Kind::kExit:
      return leave(warp, active);
    case Kind::kCollective:
      return collective(warp, in, active);
    case Kind::kBarrier:
      return barrier(warp, in, active);
    case Kind::kTrap:
      return trap(warp, active);
    case Kind::kSleep:
      ++running(warp).pc;
      return active != 0 ? Step::kYield : Step::kNext;
    case Kind::kClock:
      read_clock(warp, in, active);
      break;
    case Kind::kFence:
    case Kind::kAsyncWait:
      if constexpr (M == Mode::kCheck) order_memory(warp, in, active);
      break;
    case Kind::kPrefetch:
    case Kind::kNop:
      break;
    default:
      if (active == 0) break;
      if (!execute_memory<M>({block_, warp, in, running(warp).pc, counters_}, active))
        return Step::kFault;
  }
  ++running(warp).pc;
  return Step::kNext;
}

template <Mode M>
void Interpreter<M>::read_clock(Warp& warp, const Instruction& in, std::uint32_t active) {
  const std::uint64_t now = ++block_.clock;
  const unsigned slots = in.width[0];
  for_lanes(active,
            [&](unsigned lane) { set_lane(warp.file, in.op.dst, slots == 4 ? 8 : 4, lane, now); });
  if constexpr (M == Mode::kCheck) block_.checks->define(warp, in.op.dst, slots, active, ~0u);
}

template <Mode M>
void Interpreter<M>::order_memory(Warp& warp, const Instruction& in, std::uint32_t active) {
  if (in.kind == Kind::kAsyncWait)
    block_.checks->wait_for_copies(warp, in, active);
  else if (active != 0 && in.op.imm != kProxyFence)
    block_.checks->fence();
}

template <Mode M>
typename Interpreter<M>::Step Interpreter<M>::trap(Warp& warp, std::uint32_t active) {
  if (active == 0) {
    ++running(warp).pc;
    return Step::kNext;
  }
  block_.fail(FaultKind::kTrap, "executes a trap instruction (a failed assertion, or __trap)",
              running(warp).pc, warp, first_lane(active));
  return Step::kFault;
}

template <Mode M>
void Interpreter<M>::fork(Warp& warp, std::uint32_t lanes, std::uint32_t pc) {
  Split other = running(warp);
  other.mask = lanes;
  other.pc = pc;
  running(warp).mask &= ~lanes;
  warp.splits.push_back(std::move(other));
}

template <Mode M>
void Interpreter<M>::drop(Warp& warp) {
  warp.splits.erase(warp.splits.begin() + current_);
  current_ = -1;
}

template <Mode M>
void Interpreter<M>::take_turn(Warp& warp) {
  if (warp.splits.empty()) return;
  // When the running split has just gone, its lanes went to the splits made last.
  ++(current_ < 0 ? warp.splits.back() : running(warp)).turn;
}

template <Mode M>
typename Interpreter<M>::Step Interpreter<M>::branch(Warp& warp, std::uint32_t target,
                                                     std::uint32_t active) {
  const std::uint32_t next = running(warp).pc + 1;
  if (active != 0) fork(warp, active, target);
  running(warp).pc = next;
  if (running(warp).mask == 0) drop(warp);
  return Step::kLook;
}

template <Mode M>
typename Interpreter<M>::Step Interpreter<M>::leave(Warp& warp, std::uint32_t lanes) {
  ++running(warp).pc;
  if (lanes == 0) return Step::kNext;
  warp.exit(lanes);
  running(warp).mask &= ~lanes;
  if (running(warp).mask == 0) drop(warp);
  block_.after_exit(warp);
  return block_.fault ? Step::kFault : Step::kLook;
}

template <Mode M>
typename Interpreter<M>::Step Interpreter<M>::barrier(Warp& warp, const Instruction& in,
                                                      std::uint32_t active) {
  if (active == 0) {
    ++running(warp).pc;
    return Step::kNext;
  }
  if (active != running(warp).mask) fork(warp, running(warp).mask & ~active, running(warp).pc + 1);
  block_.arrive(warp, running(warp), in);
  return block_.fault ? Step::kFault : Step::kLook;
}

template <Mode M>
typename Interpreter<M>::Step Interpreter<M>::collective(Warp& warp, const Instruction& in,
                                                         std::uint32_t active) {
  if (active == 0) {
    ++running(warp).pc;
    return Step::kNext;
  }
  if constexpr (M == Mode::kCheck)
    if (!block_.checks->decides(block_, warp, running(warp).pc, in.op.d, active))
      return Step::kFault;
  if (active != running(warp).mask) fork(warp, running(warp).mask & ~active, running(warp).pc + 1);
  Gathering gathering(warp, current_, block_.launch.program);
  std::uint32_t together = gathering.next();
  const bool all = together == running(warp).mask;
  for (; together != 0; together = gathering.next()) {
    if constexpr (M == Mode::kCheck) block_.checks->meet(warp, together);
    if (in.alu == nullptr) continue;
    if constexpr (M == Mode::kCheck)
      block_.checks->alu(warp, in, together);
    else
      in.alu(warp.file, in.op, together);
  }
  if (all && warp.splits.size() == 1) {
    ++running(warp).pc;
    return Step::kNext;
  }
  gathering.move_on();
  return Step::kLook;
}

template class Interpreter<Mode::kValues>;
template class Interpreter<Mode::kCheck>;
template class Interpreter<Mode::kCount>;

}  // namespace kp::vgpu

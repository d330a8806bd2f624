// SPDX-License-Identifier: Apache-2.0
// Jumps through tables, and calls of functions that stayed functions. They are rare; the rest of
// the interpreter is one translation unit, so that its loop can be inlined.
#include <fmt/format.h>

#include <algorithm>

#include "vgpu/checks.h"
#include "vgpu/interpreter.h"
#include "vgpu/lanes.h"

namespace kp::vgpu {

template <Mode M>
typename Interpreter<M>::Step Interpreter<M>::branch_table(Warp& warp, const Instruction& in,
                                                           std::uint32_t active) {
  const auto& table = block_.launch.program.tables[in.extra];
  const std::uint32_t pc = running(warp).pc;
  if constexpr (M == Mode::kCheck)
    if (!block_.checks->decides(block_, warp, pc, in.op.a, active)) return Step::kFault;
  while (active != 0) {
    const unsigned lane = first_lane(active);
    const std::uint32_t index = word(warp.file, in.op.a, lane);
    if (index >= table.size()) {
      block_.fail(FaultKind::kIllegalInstruction,
                  fmt::format("jumps to entry {} of a table of {}", index, table.size()), pc, warp,
                  lane);
      return Step::kFault;
    }
    std::uint32_t group = 0;
    for_lanes(active, [&](unsigned each) {
      if (word(warp.file, in.op.a, each) == index) group |= bit_of(each);
    });
    fork(warp, group, table[index]);
    active &= ~group;
  }
  ++running(warp).pc;
  if (running(warp).mask == 0) drop(warp);
  return Step::kLook;
}

template <Mode M>
const CalledFunction* Interpreter<M>::callee(Warp& warp, const Instruction& in, unsigned lane) {
  const auto& functions = block_.launch.program.functions;
  if (in.extra != kNone) return &functions[in.extra];
  const std::uint32_t address = word(warp.file, in.op.a, lane);
  const auto found = std::ranges::find(functions, address, &CalledFunction::address);
  if (found != functions.end()) return &*found;
  block_.fail(FaultKind::kIllegalInstruction,
              fmt::format("calls through a pointer to {:#x}, where no such function is", address),
              running(warp).pc, warp, lane);
  return nullptr;
}

template <Mode M>
bool Interpreter<M>::enter(Warp& warp, const Instruction& in, const CalledFunction& function,
                           std::uint32_t lanes) {
  const std::uint32_t pc = running(warp).pc;
  const std::uint64_t size = block_.launch.program.local_bytes;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const unsigned lane = first_lane(rest);
    const std::uint64_t frame = std::uint64_t{word(warp.file, in.op.b, lane)} + in.op.imm;
    if (frame + function.frame > size)
      return block_.fail(
          FaultKind::kMemory,
          fmt::format("overflows the stack of {} bytes: recursion that is too deep", size), pc,
          warp, lane);
    set_word(warp.file, in.op.b, lane, std::uint32_t(frame));
  }
  fork(warp, lanes, function.pc);
  warp.splits.back().calls.push_back(pc + 1);
  return true;
}

template <Mode M>
typename Interpreter<M>::Step Interpreter<M>::call(Warp& warp, const Instruction& in,
                                                   std::uint32_t active) {
  if constexpr (M == Mode::kCheck)
    if (!block_.checks->decides(block_, warp, running(warp).pc, in.op.a, active))
      return Step::kFault;
  while (active != 0) {
    const CalledFunction* const function = callee(warp, in, first_lane(active));
    if (function == nullptr) return Step::kFault;
    std::uint32_t group = active;
    if (in.extra == kNone) {
      const std::uint32_t address = word(warp.file, in.op.a, first_lane(active));
      for_lanes(active, [&](unsigned lane) {
        if (word(warp.file, in.op.a, lane) != address) group &= ~bit_of(lane);
      });
    }
    if (!enter(warp, in, *function, group)) return Step::kFault;
    active &= ~group;
  }
  ++running(warp).pc;
  if (running(warp).mask == 0) drop(warp);
  return Step::kLook;
}

template <Mode M>
typename Interpreter<M>::Step Interpreter<M>::go_back(Warp& warp, std::uint32_t active) {
  Split& split = running(warp);
  if (active != split.mask) fork(warp, split.mask & ~active, split.pc + 1);
  Split& back = running(warp);
  const std::uint32_t pc = back.calls.back();
  const Instruction& call = block_.launch.program.code[pc - 1];
  for_lanes(back.mask, [&](unsigned lane) {
    set_word(warp.file, call.op.b, lane, word(warp.file, call.op.b, lane) - call.op.imm);
  });
  back.calls.pop_back();
  back.pc = pc;
  return Step::kLook;
}

template class Interpreter<Mode::kValues>;
template class Interpreter<Mode::kCheck>;
template class Interpreter<Mode::kCount>;

}  // namespace kp::vgpu

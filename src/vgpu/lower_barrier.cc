// SPDX-License-Identifier: Apache-2.0
// bar, barrier, membar, fence, nanosleep and what does nothing here.
#include "vgpu/lowering.h"

namespace kp::vgpu {
namespace {

Result<void> warp_barrier(Lowering& low) {
  Operands op;
  KP_TRY(op.d, low.source(low.at->operands[0], 4));
  low.emit(Kind::kCollective, Class::kMisc, op);
  return {};
}

BarrierForm form_of(const ptx::Instruction& instruction) {
  if (instruction.has("arrive")) return BarrierForm::kArrive;
  if (instruction.has("popc")) return BarrierForm::kPopc;
  if (instruction.has("and")) return BarrierForm::kAnd;
  if (instruction.has("or")) return BarrierForm::kOr;
  return BarrierForm::kSync;
}

Result<void> reduction(Lowering& low, BarrierForm form, Operands& op) {
  const auto& list = low.at->operands;
  const auto* to = std::get_if<ptx::RegisterName>(&list[0].value);
  if (list.size() < 3 || list.size() > 4 || to == nullptr)
    return low.malformed_form("a reduction needs a result, a barrier and a predicate");
  KP_TRY(op.dst, low.named_register(to->name));
  if (low.registers.lane_bytes(op.dst) != (form == BarrierForm::kPopc ? 4 : 1))
    return low.malformed_form("the result has the wrong width");
  KP_TRY(op.a, low.source(list[1], 4));
  if (list.size() == 4) {
    KP_TRY(op.b, low.source(list[2], 4));
  }
  KP_TRY(op.c, low.source(list.back(), 1));
  return {};
}

}  // namespace

Result<void> lower_barrier(Lowering& low) {
  const auto& list = low.at->operands;
  if (low.at->has("cluster")) return low.unsupported_form();
  if (list.empty()) return low.malformed_form("it has no barrier number");
  if (low.at->has("warp")) return warp_barrier(low);
  const auto form = form_of(*low.at);
  Operands op;
  op.imm = static_cast<std::uint32_t>(form);
  if (low.at->has("red")) {
    KP_TRY_VOID(reduction(low, form, op));
  } else {
    KP_TRY(op.a, low.source(list[0], 4));
    if (list.size() > 1) {
      KP_TRY(op.b, low.source(list[1], 4));
    }
  }
  low.emit(Kind::kBarrier, Class::kMisc, op);
  return {};
}

Result<void> lower_fence(Lowering& low) {
  Operands op;
  op.imm = low.at->has("sys") ? 2 : low.at->has("cta") ? 0 : 1;
  for (const auto& modifier : low.at->modifiers) {
    if (modifier.starts_with("proxy")) op.imm = 3;
  }
  low.emit(Kind::kFence, Class::kMisc, op);
  return {};
}

Result<void> lower_sleep(Lowering& low) {
  if (low.at->operands.empty()) return low.malformed_form("it has no duration");
  Operands op;
  KP_TRY(op.a, low.source(low.at->operands[0], 4));
  low.emit(Kind::kSleep, Class::kMisc, op);
  return {};
}

Result<void> lower_trap(Lowering& low) {
  low.emit(Kind::kTrap, Class::kMisc, {});
  return {};
}

Result<void> lower_prefetch(Lowering& low) {
  low.emit(Kind::kPrefetch, Class::kMemory, {});
  return {};
}

Result<void> lower_policy(Lowering& low) {
  const auto* name = low.at->operands.empty()
                         ? nullptr
                         : std::get_if<ptx::RegisterName>(&low.at->operands[0].value);
  if (name == nullptr) return low.malformed_form("the destination is not a register");
  KP_TRY(const std::uint32_t to, low.named_register(name->name));
  return low.arithmetic("mov.b64", to, {low.registers.constant(0, 8)});
}

Result<void> lower_nothing(Lowering& low) {
  low.emit(Kind::kNop, Class::kMisc, {}, 0);
  return {};
}

}  // namespace kp::vgpu

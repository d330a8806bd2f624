// SPDX-License-Identifier: Apache-2.0
// mbarrier.*: barriers that live in shared memory.
#include "vgpu/lower_access.h"

namespace kp::vgpu {
namespace {

std::optional<MbarrierForm> form_of(const ptx::Instruction& instruction) {
  if (instruction.has("init")) return MbarrierForm::kInit;
  if (instruction.has("inval")) return MbarrierForm::kInvalidate;
  if (instruction.has("test_wait") || instruction.has("try_wait"))
    return instruction.has("parity") ? MbarrierForm::kTestParity : MbarrierForm::kTestState;
  if (instruction.has("arrive"))
    return instruction.has("expect_tx") ? MbarrierForm::kArriveExpect : MbarrierForm::kArrive;
  if (instruction.has("expect_tx")) return MbarrierForm::kExpect;
  if (instruction.has("arrive_drop") && !instruction.has("expect_tx"))
    return MbarrierForm::kArriveDrop;
  return std::nullopt;
}

bool has_result(MbarrierForm form) {
  return form != MbarrierForm::kInit && form != MbarrierForm::kInvalidate &&
         form != MbarrierForm::kExpect;
}

Result<void> set_result(Lowering& low, MbarrierForm form, Operands& op) {
  const auto& operand = low.at->operands[0];
  if (std::holds_alternative<ptx::Sink>(operand.value)) return {};
  const bool test = form == MbarrierForm::kTestState || form == MbarrierForm::kTestParity;
  KP_TRY(op.dst, low.source(operand, test ? 1 : 8));
  return {};
}

Result<void> set_sources(Lowering& low, MbarrierForm form, std::size_t next, Operands& op) {
  const auto& list = low.at->operands;
  if (next >= list.size()) return {};
  if (form == MbarrierForm::kTestState) {
    KP_TRY(op.c, low.source(list[next], 8));
  } else if (form == MbarrierForm::kTestParity) {
    KP_TRY(op.c, low.source(list[next], 4));
  } else {
    KP_TRY(op.b, low.source(list[next], 4));
  }
  return {};
}

}  // namespace

Result<void> lower_mbarrier(Lowering& low) {
  const auto form = form_of(*low.at);
  if (!form) return low.unsupported_form();
  KP_TRY(Access access, access_from_modifiers(low));
  // An arrive without a result may leave even its sink out.
  const auto& list = low.at->operands;
  const bool first_is_address =
      !list.empty() && std::holds_alternative<ptx::Address>(list[0].value);
  const std::size_t at = first_is_address ? 0 : 1;
  if (list.size() <= at || (!first_is_address && !has_result(*form)))
    return low.malformed_form("it has no address");
  Operands op;
  op.imm = static_cast<std::uint32_t>(*form);
  if (!first_is_address) KP_TRY_VOID(set_result(low, *form, op));
  KP_TRY(op.a, address_of(low, list[at], access));
  KP_TRY_VOID(set_sources(low, *form, at + 1, op));
  low.emit(Kind::kMbarrier, Class::kMemory, op).extra = low.access(access);
  return {};
}

Result<void> lower_async_arrive(Lowering& low) {
  Operands wait;
  wait.imm = static_cast<std::uint32_t>(AsyncForm::kWaitAll);
  low.emit(Kind::kAsyncWait, Class::kMisc, wait, 0);
  // The plain form first adds the arrival that it then makes, which is nothing when copies are
  // complete at once.
  if (!low.at->has("noinc")) return {};
  if (low.at->operands.size() != 1) return low.malformed_form("it needs an address");
  KP_TRY(Access access, access_from_modifiers(low));
  Operands op;
  op.imm = static_cast<std::uint32_t>(MbarrierForm::kAsyncArrive);
  KP_TRY(op.a, address_of(low, low.at->operands[0], access));
  low.emit(Kind::kMbarrier, Class::kMemory, op).extra = low.access(access);
  return {};
}

}  // namespace kp::vgpu

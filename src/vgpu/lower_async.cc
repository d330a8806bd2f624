// SPDX-License-Identifier: Apache-2.0
// cp.async: copies from global to shared memory that skip the registers.
#include <algorithm>

#include "vgpu/lower_access.h"

namespace kp::vgpu {
namespace {

/// Operand 3 is the number of bytes to read, or a predicate that says "read nothing".
Result<std::uint32_t> source_bytes(Lowering& low, std::uint64_t size) {
  const auto& operand = low.at->operands[3];
  const auto* name = std::get_if<ptx::RegisterName>(&operand.value);
  if (name == nullptr) return low.source(operand, 4);
  KP_TRY(const std::uint32_t number, low.named_register(name->name));
  if (low.registers.lane_bytes(number) != 1) return low.source(operand, 4);
  KP_TRY(const std::uint32_t ignore, low.source(operand, 1));
  const auto bytes = low.registers.add(4);
  KP_TRY_VOID(low.arithmetic(
      "selp.b32", bytes, {low.registers.constant(0, 4), low.registers.constant(size, 4), ignore}));
  return bytes;
}

bool set_size(Access& access, std::uint64_t size) {
  if (size != 4 && size != 8 && size != 16) return false;
  access.type = ptx::Type::kB32;
  access.bytes = 4;
  access.elements = static_cast<std::uint8_t>(size / 4);
  return true;
}

Result<void> copy(Lowering& low) {
  const auto& list = low.at->operands;
  const auto* size = list.size() < 3 ? nullptr : std::get_if<ptx::Immediate>(&list[2].value);
  Access to, from;
  if (size == nullptr || !set_size(from, size->bits))
    return low.malformed_form("it needs a destination, a source and a size of 4, 8 or 16 bytes");
  Operands op;
  to.space = ptx::Space::kShared;
  from.space = ptx::Space::kGlobal;
  from.bypass_l1 = low.at->has("cg");
  KP_TRY(op.a, address_of(low, list[0], to));
  if (op.a != kNone && !to.address32) {
    KP_TRY(op.a, low.narrowed(op.a));
  }
  op.imm = static_cast<std::uint32_t>(to.offset);
  KP_TRY(op.b, address_of(low, list[1], from));
  // With .L2::cache_hint the last operand is a policy, which has no effect here.
  const std::size_t fixed = low.at->has("L2::cache_hint") ? 4 : 3;
  if (list.size() > fixed) {
    KP_TRY(op.c, source_bytes(low, size->bits));
  }
  low.emit(Kind::kCopyAsync, Class::kMemory, op).extra = low.access(from);
  return {};
}

/// commit_group, wait_group n and wait_all.
Result<void> group(Lowering& low) {
  auto form = low.at->has("wait_all") ? AsyncForm::kWaitAll : AsyncForm::kCommit;
  std::uint64_t open = 0;
  if (low.at->has("wait_group")) {
    form = AsyncForm::kWaitGroup;
    const auto* number = low.at->operands.empty()
                             ? nullptr
                             : std::get_if<ptx::Immediate>(&low.at->operands[0].value);
    if (number == nullptr) return low.malformed_form("it needs the number of groups");
    open = std::min<std::uint64_t>(number->bits, 0xff'ffff);
  }
  Operands op;
  op.imm = static_cast<std::uint32_t>(form) | static_cast<std::uint32_t>(open << 8);
  low.emit(Kind::kAsyncWait, Class::kMisc, op);
  return {};
}

}  // namespace

Result<void> lower_copy_async(Lowering& low) {
  const auto& instruction = *low.at;
  if (!instruction.has("async")) return low.unsupported_form();
  if (instruction.has("commit_group") || instruction.has("wait_group") ||
      instruction.has("wait_all")) {
    if (instruction.has("bulk")) return low.unsupported_form();
    return group(low);
  }
  if (instruction.has("mbarrier")) return lower_async_arrive(low);
  const bool plain = instruction.has("ca") || instruction.has("cg");
  if (!plain || instruction.has("bulk")) return low.unsupported_form();
  return copy(low);
}

}  // namespace kp::vgpu

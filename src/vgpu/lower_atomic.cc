// SPDX-License-Identifier: Apache-2.0
// atom and red.
#include <algorithm>
#include <array>

#include "vgpu/lower_access.h"

namespace kp::vgpu {
namespace {

struct Row {
  std::string_view name;
  AtomicOp op;
};
constexpr std::array kOps{
    Row{"add", AtomicOp::kAdd},       Row{"min", AtomicOp::kMin},
    Row{"max", AtomicOp::kMax},       Row{"inc", AtomicOp::kInc},
    Row{"dec", AtomicOp::kDec},       Row{"and", AtomicOp::kAnd},
    Row{"or", AtomicOp::kOr},         Row{"xor", AtomicOp::kXor},
    Row{"exch", AtomicOp::kExchange}, Row{"cas", AtomicOp::kCompareSwap},
};

AtomicOp op_of(const ptx::Instruction& instruction) {
  for (const auto& row : kOps) {
    if (instruction.has(row.name)) return row.op;
  }
  return AtomicOp::kNotAtomic;
}

/// Compilers write atom where the old value is not used; the hardware's assembler makes it red.
bool is_used(const Lowering& low, const ptx::Operand& destination) {
  if (const auto* vector = std::get_if<ptx::Vector>(&destination.value))
    return std::any_of(vector->parts.begin(), vector->parts.end(),
                       [&](const ptx::Operand& part) { return is_used(low, part); });
  const auto* name = std::get_if<ptx::RegisterName>(&destination.value);
  if (name == nullptr || name->name == "_") return false;
  const auto found = low.mentions.find(name->name);
  return found != low.mentions.end() && found->second > 1;
}

/// The result depends on the order of blocks unless the operation commutes exactly and nobody
/// looks.
bool depends_on_order(const Access& access) {
  if (access.space == ptx::Space::kShared || access.space == ptx::Space::kLocal) return false;
  const bool commutes =
      access.atomic != AtomicOp::kExchange && access.atomic != AtomicOp::kCompareSwap;
  return access.returns || !commutes || ptx::is_floating(access.type);
}

Result<void> operands(Lowering& low, Access& access, Operands& op, std::size_t first) {
  const auto& list = low.at->operands;
  const bool cas = access.atomic == AtomicOp::kCompareSwap;
  if (list.size() < first + (cas ? 2u : 1u)) return low.malformed_form("it has too few operands");
  if (access.elements > 1) {
    const auto parts = elements_of(list[first]);
    if (parts.size() != access.elements) return low.malformed_form("the vector has another length");
    for (std::size_t i = 0; i < parts.size(); ++i) {
      KP_TRY(access.registers[i], low.source(parts[i], access.bytes));
    }
    return {};
  }
  KP_TRY(op.b, low.source(list[first + (cas ? 1 : 0)], access.bytes));
  if (cas) {
    KP_TRY(op.c, low.source(list[first], access.bytes));
  }
  return {};
}

Result<void> vector_results(Lowering& low, Access& access) {
  const auto parts = elements_of(low.at->operands[0]);
  if (parts.size() != access.elements) return low.malformed_form("the vector has another length");
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (std::holds_alternative<ptx::Sink>(parts[i].value)) continue;
    KP_TRY(access.results[i], low.source(parts[i], access.bytes));
  }
  return {};
}

}  // namespace

Result<void> lower_atomic(Lowering& low) {
  const bool atom = low.at->opcode == "atom";
  KP_TRY(Access access, access_from_modifiers(low));
  access.atomic = op_of(*low.at);
  const auto& list = low.at->operands;
  if (list.size() < 2) return low.malformed_form("it has too few operands");
  access.returns = atom && is_used(low, list[0]);
  const bool swaps =
      access.atomic == AtomicOp::kExchange || access.atomic == AtomicOp::kCompareSwap;
  if (access.atomic == AtomicOp::kNotAtomic || (access.bytes > 8 && !swaps))
    return low.unsupported_form();
  Operands op;
  KP_TRY(op.a, address_of(low, list[atom ? 1 : 0], access));
  KP_TRY_VOID(operands(low, access, op, atom ? 2 : 1));
  if (access.returns && access.elements > 1) {
    KP_TRY_VOID(vector_results(low, access));
  } else if (access.returns) {
    KP_TRY(op.dst, low.named_register(std::get<ptx::RegisterName>(list[0].value).name));
    if (low.registers.lane_bytes(op.dst) != std::max<unsigned>(4, access.bytes))
      return low.malformed_form("the destination has the wrong width");
  }
  if (depends_on_order(access)) low.program.order_sensitive = true;
  low.emit(Kind::kAtomic, Class::kMemory, op).extra = low.access(access);
  return {};
}

}  // namespace kp::vgpu

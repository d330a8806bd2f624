// SPDX-License-Identifier: Apache-2.0
// cvta and isspacep: generic addresses are those of global memory, and windows for the other spaces
// (memory.h).
#include "vgpu/lowering.h"
#include "vgpu/memory.h"

namespace kp::vgpu {
namespace {

/// Start of the window, 0 for spaces whose addresses are generic already; nothing for unknown ones.
std::optional<std::uint64_t> window_of(const ptx::Instruction& instruction) {
  for (const auto& modifier : instruction.modifiers) {
    if (modifier == "global" || modifier == "const") return 0;
    if (modifier == "shared" || modifier == "shared::cta" || modifier == "shared::cluster")
      return kSharedWindow;
    if (modifier == "local") return kLocalWindow;
  }
  return std::nullopt;
}

bool of_parameter(const ptx::Instruction& instruction) {
  return instruction.has("param") || instruction.has("param::entry");
}

Result<void> convert_address(Lowering& low, std::uint64_t window) {
  const auto* name = std::get_if<ptx::RegisterName>(&low.at->operands[0].value);
  if (name == nullptr) return low.malformed_form("the destination is not a register");
  KP_TRY(const std::uint32_t to, low.named_register(name->name));
  if (low.registers.lane_bytes(to) != 8) return low.unsupported_form();
  KP_TRY(const std::uint32_t from, low.source(low.at->operands[1], 8));
  auto start = low.registers.constant(window, 8);
  if (of_parameter(*low.at)) {
    Operands op;
    op.dst = start = low.registers.add(8);
    low.emit(Kind::kGridConstant, Class::kMove, op);
  } else if (window == 0) {
    return low.copy(to, from);
  }
  return low.arithmetic(low.at->has("to") ? "sub.s64" : "add.s64", to, {from, start});
}

/// In a window: address - start < size, unsigned. Global: in none.
Result<void> test_space(Lowering& low, std::uint64_t window) {
  const auto* name = std::get_if<ptx::RegisterName>(&low.at->operands[0].value);
  if (name == nullptr) return low.malformed_form("the destination is not a register");
  KP_TRY(const std::uint32_t to, low.named_register(name->name));
  KP_TRY(const std::uint32_t address, low.source(low.at->operands[1], 8));
  const bool global = window == 0;
  if (global && low.at->has("const"))
    return low.arithmetic("mov.pred", to, {low.registers.constant(0, 1)});
  const auto relative = low.registers.add(8);
  const auto start = low.registers.constant(global ? kGlobalWindow : window, 8);
  KP_TRY_VOID(low.arithmetic("sub.s64", relative, {address, start}));
  const auto bytes = low.registers.constant(global ? ~0ull - kGlobalWindow : kWindowBytes, 8);
  return low.arithmetic("setp.lt.u64", to, {relative, bytes});
}

}  // namespace

Result<void> lower_address(Lowering& low) {
  if (low.at->operands.size() != 2) return low.malformed_form("it needs two operands");
  const auto window = window_of(*low.at);
  if (low.at->opcode == "cvta" && (window || of_parameter(*low.at)))
    return convert_address(low, window.value_or(0));
  return window ? test_space(low, *window) : low.unsupported_form();
}

}  // namespace kp::vgpu

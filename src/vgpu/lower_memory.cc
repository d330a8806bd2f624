// SPDX-License-Identifier: Apache-2.0
// ld and st.
#include "vgpu/lower_access.h"

namespace kp::vgpu {
namespace {

using ptx::Space;

constexpr std::size_t kMostElements = 8;

bool is_global(Space space) { return space == Space::kGlobal || space == Space::kGeneric; }

/// A load into a 64-bit register of fewer bytes: the low word, then its extension.
struct Extension {
  std::uint32_t named, low;
};

Result<std::uint32_t> destination(Lowering& low, const ptx::Operand& operand, unsigned bytes,
                                  std::vector<Extension>& extensions) {
  if (std::holds_alternative<ptx::Sink>(operand.value)) return kNone;
  const auto* name = std::get_if<ptx::RegisterName>(&operand.value);
  if (name == nullptr) return low.malformed_form("the destination is not a register");
  if (name->name == "_") return kNone;
  KP_TRY(const std::uint32_t number, low.named_register(name->name));
  const unsigned has = low.registers.lane_bytes(number);
  const unsigned needs = std::max(4u, bytes);
  if (has == needs) return number;
  if (has != 8 || needs != 4) return low.malformed_form(name->name + " has the wrong width");
  const auto word = low.registers.add(4);
  extensions.push_back({number, word});
  return word;
}

std::string_view move_form(ptx::Type type) {
  switch (type) {
    case ptx::Type::kB8:
    case ptx::Type::kU8:
      return "cvt.u32.u8";
    case ptx::Type::kS8:
      return "cvt.s32.s8";
    case ptx::Type::kS16:
      return "cvt.s32.s16";
    default:
      break;
  }
  switch (ptx::bytes_of(type)) {
    case 2:
      return "cvt.u32.u16";
    case 8:
      return "mov.b64";
    case 16:
      return "mov.b128";
    default:
      return "mov.b32";
  }
}

std::uint64_t promoted_offset(const ptx::Operand& address, std::size_t element, unsigned bytes) {
  return static_cast<std::uint64_t>(std::get<ptx::Address>(address.value).offset) + element * bytes;
}

/// ld.param of an inlined call's variable that lives in registers.
Result<void> load_promoted(Lowering& low, const Promoted& variable, const Access& access) {
  const auto parts = elements_of(low.at->operands[0]);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::vector<Extension> extensions;
    KP_TRY(const std::uint32_t to, destination(low, parts[i], access.bytes, extensions));
    const auto from = variable.at(promoted_offset(low.at->operands[1], i, access.bytes));
    if (to != kNone) KP_TRY_VOID(low.arithmetic(move_form(access.type), to, {from}));
    for (const auto& one : extensions) KP_TRY_VOID(low.widen(one.named, one.low, access.type));
  }
  return {};
}

Result<void> store_promoted(Lowering& low, const Promoted& variable, const Access& access) {
  const auto parts = elements_of(low.at->operands[1]);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    KP_TRY(const std::uint32_t from, low.source(parts[i], access.bytes == 1 ? 4 : access.bytes));
    const auto to = variable.at(promoted_offset(low.at->operands[0], i, access.bytes));
    KP_TRY_VOID(low.copy(to, from));
  }
  return {};
}

/// Checks what the registers of an access need: as many operands as elements.
Result<std::vector<ptx::Operand>> parts_of(const Lowering& low, const ptx::Operand& operand,
                                           const Access& access) {
  auto parts = elements_of(operand);
  if (parts.size() != access.elements || parts.size() > kMostElements)
    return low.malformed_form("the vector has another length than the form says");
  return parts;
}

}  // namespace

Result<void> lower_load(Lowering& low) {
  KP_TRY(Access access, access_from_modifiers(low));
  if (low.at->operands.size() < 2)
    return low.malformed_form("it needs a destination and an address");
  KP_TRY(const auto parts, parts_of(low, low.at->operands[0], access));
  if (const auto* name = promoted_variable(low, low.at->operands[1]))
    return load_promoted(low, low.promoted.at(*name), access);
  Operands op;
  KP_TRY(op.a, address_of(low, low.at->operands[1], access));
  std::vector<Extension> extensions;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    KP_TRY(access.registers[i], destination(low, parts[i], access.bytes, extensions));
  }
  if (is_global(access.space) && (access.is_volatile || access.acquire))
    low.program.order_sensitive = true;
  low.emit(Kind::kLoad, Class::kMemory, op).extra = low.access(access);
  for (const auto& one : extensions) KP_TRY_VOID(low.widen(one.named, one.low, access.type));
  return {};
}

Result<void> lower_store(Lowering& low) {
  KP_TRY(Access access, access_from_modifiers(low));
  if (low.at->operands.size() < 2) return low.malformed_form("it needs an address and a value");
  KP_TRY(const auto parts, parts_of(low, low.at->operands[1], access));
  if (const auto* name = promoted_variable(low, low.at->operands[0]))
    return store_promoted(low, low.promoted.at(*name), access);
  Operands op;
  KP_TRY(op.a, address_of(low, low.at->operands[0], access));
  if (access.space == Space::kParam || access.space == Space::kConst)
    return low.malformed_form("that space cannot be written");
  for (std::size_t i = 0; i < parts.size(); ++i) {
    KP_TRY(access.registers[i], low.source(parts[i], access.bytes == 1 ? 4 : access.bytes));
  }
  low.emit(Kind::kStore, Class::kMemory, op).extra = low.access(access);
  return {};
}

}  // namespace kp::vgpu

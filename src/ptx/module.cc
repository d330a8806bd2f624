// SPDX-License-Identifier: Apache-2.0
#include "ptx/module.h"

#include <algorithm>
#include <array>

namespace kp::ptx {
namespace {

struct TypeRow {
  std::string_view name;
  unsigned bytes;
};
// In the order of enum Type.
constexpr std::array<TypeRow, 22> kTypes{{
    {"", 0},       {"pred", 0}, {"b8", 1},  {"b16", 2}, {"b32", 4},   {"b64", 8},
    {"b128", 16},  {"u8", 1},   {"u16", 2}, {"u32", 4}, {"u64", 8},   {"s8", 1},
    {"s16", 2},    {"s32", 4},  {"s64", 8}, {"f16", 2}, {"f16x2", 4}, {"bf16", 2},
    {"bf16x2", 4}, {"tf32", 4}, {"f32", 4}, {"f64", 8},
}};
static_assert(static_cast<std::size_t>(Type::kF64) + 1 == kTypes.size());

}  // namespace

unsigned bytes_of(Type type) { return kTypes[static_cast<std::size_t>(type)].bytes; }

bool is_floating(Type type) {
  switch (type) {
    case Type::kF16:
    case Type::kF16x2:
    case Type::kBf16:
    case Type::kBf16x2:
    case Type::kF32:
    case Type::kF64:
      return true;
    default:
      return false;
  }
}

std::string_view name_of(Type type) { return kTypes[static_cast<std::size_t>(type)].name; }

std::optional<Type> type_from(std::string_view name) {
  if (name.size() < 2 || name.size() > 6) return std::nullopt;
  for (std::size_t i = 1; i < kTypes.size(); ++i) {
    if (kTypes[i].name == name) return static_cast<Type>(i);
  }
  return std::nullopt;
}

bool Instruction::has(std::string_view modifier) const {
  return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
}

Type Instruction::type(unsigned from_end) const {
  for (auto it = modifiers.rbegin(); it != modifiers.rend(); ++it) {
    if (const auto found = type_from(*it); found && from_end-- == 0) return *found;
  }
  return Type::kNone;
}

std::string Instruction::form() const {
  std::string text = opcode;
  for (const auto& modifier : modifiers) text.append(1, '.').append(modifier);
  return text;
}

const Function* Module::find(std::string_view name) const {
  // A declaration may precede the definition under the same name.
  const Function* declared = nullptr;
  for (const auto& function : functions) {
    if (function.name != name) continue;
    if (!function.body.empty()) return &function;
    declared = &function;
  }
  return declared;
}

}  // namespace kp::ptx

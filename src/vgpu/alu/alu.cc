// SPDX-License-Identifier: Apache-2.0
#include "vgpu/alu/alu.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "vgpu/alu/expansion.h"
#include "vgpu/alu/forms.h"
#include "vgpu/alu/request.h"

namespace kp::vgpu {
namespace {

using Index = std::unordered_map<std::string_view, const Entry*>;

#define KP_ALU_ALL(level)                                                                         \
  {                                                                                               \
    level::approx_forms(), level::bits_forms(), level::carry_forms(), level::collective_forms(),  \
        level::compare_forms(), level::convert_forms(), level::convert_float_forms(),             \
        level::double_forms(), level::float_forms(), level::half_forms(), level::integer_forms(), \
        level::move_forms(), level::tensor_forms(), level::video_forms()                          \
  }

Index index_of(std::initializer_list<Forms> families) {
  Index index;
  for (const Forms& family : families)
    for (const Entry* entry = family.first; entry != family.first + family.count; ++entry)
      index.emplace(entry->form, entry);
  return index;
}

const Index& index_of(AluLevel level) {
  static const Index baseline = index_of(KP_ALU_ALL(baseline));
  static const Index v3 = index_of(KP_ALU_ALL(v3));
  return level == AluLevel::kV3 ? v3 : baseline;
}

}  // namespace

std::optional<AluChoice> select_alu(const ptx::Instruction& instruction, AluLevel level) {
  const Request request = request_of(instruction);
  const Index& index = index_of(level);
  const auto found = index.find(request.form);
  if (found == index.end()) return std::nullopt;
  const Entry& entry = *found->second;
  AluChoice choice;
  choice.run = entry.run;
  choice.cls = entry.cls;
  choice.imm = request.imm;
  choice.sass = sass_expansion(request.form);
  std::copy(std::begin(entry.lane_bytes), std::end(entry.lane_bytes), choice.lane_bytes);
  if (request.compares && !request.combines) choice.lane_bytes[4] = 0;
  const auto& modifiers = instruction.modifiers;
  choice.writes_carry = std::find(modifiers.begin(), modifiers.end(), "cc") != modifiers.end();
  const auto& opcode = instruction.opcode;
  choice.reads_carry = opcode == "addc" || opcode == "subc" || opcode == "madc";
  return choice;
}

std::optional<AluChoice> select_alu(const ptx::Instruction& instruction) {
  static const AluLevel level = best_alu_level();
  return select_alu(instruction, level);
}

AluLevel best_alu_level() {
  return __builtin_cpu_supports("x86-64-v3") ? AluLevel::kV3 : AluLevel::kBaseline;
}

const char* alu_level() { return best_alu_level() == AluLevel::kV3 ? "x86-64-v3" : "x86-64"; }

}  // namespace kp::vgpu

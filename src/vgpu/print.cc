// SPDX-License-Identifier: Apache-2.0
// A program as text, one instruction a line: for tests and for looking into what lowering made.
#include <fmt/format.h>

#include <array>
#include <iterator>

#include "vgpu/lower_registers.h"
#include "vgpu/program.h"

namespace kp::vgpu {
namespace {

constexpr std::array<std::string_view, 21> kKinds{
    "alu",     "collective", "branch", "branch-table", "call",        "return",       "exit",
    "load",    "store",      "atomic", "copy-async",   "matrix-load", "matrix-store", "prefetch",
    "barrier", "fence",      "wait",   "mbarrier",     "sleep",       "trap",         "nop",
};

std::string_view kind_name(Kind kind) {
  const auto index = static_cast<std::size_t>(kind);
  if (kind == Kind::kClock) return "clock";
  return index < kKinds.size() ? kKinds[index] : "grid-constant";
}

/// Registers by their first slot in the file.
void put_register(std::string& text, std::string_view role, std::uint32_t offset) {
  if (offset != kNone) fmt::format_to(std::back_inserter(text), " {}=r{}", role, offset / kSlot);
}

std::string space_name(ptx::Space space) {
  constexpr std::array<std::string_view, 7> kNames{"generic", "register", "param", "global",
                                                   "shared",  "local",    "const"};
  return std::string(kNames[static_cast<std::size_t>(space)]);
}

void put_access(std::string& text, const Access& access) {
  fmt::format_to(std::back_inserter(text), " {} {}x{} +{}", space_name(access.space),
                 access.elements, ptx::name_of(access.type), access.offset);
  for (const auto number : access.registers) put_register(text, "v", number);
}

std::string instruction_text(const Program& program, std::size_t pc) {
  const auto& in = program.code[pc];
  std::string text = fmt::format("{:>5}{} ", pc, program.leader[pc] != 0 ? ':' : ' ');
  if (in.guard != kNone)
    text += fmt::format("@{}r{} ", in.guard_negated ? "!" : "", in.guard / kSlot);
  text += kind_name(in.kind);
  put_register(text, "dst", in.op.dst);
  put_register(text, "dst2", in.op.dst2);
  put_register(text, "a", in.op.a);
  put_register(text, "b", in.op.b);
  put_register(text, "c", in.op.c);
  put_register(text, "d", in.op.d);
  if (in.op.imm != 0) text += fmt::format(" imm={}", in.op.imm);
  if (in.kind == Kind::kBranch) text += fmt::format(" -> {}", in.extra);
  if (in.kind == Kind::kBranchTable)
    text += fmt::format(" -> {}", fmt::join(program.tables[in.extra], " "));
  if (has_access(in.kind)) put_access(text, program.accesses[in.extra]);
  const auto& line = program.lines[in.line];
  text += fmt::format("  ; ptx {}", in.ptx_line);
  if (line.line > 0) text += fmt::format(", {}:{}", line.file, line.line);
  return text + "\n";
}

}  // namespace

std::string print(const Program& program) {
  std::string text = fmt::format(
      "kernel {}: registers {} B, shared {} B, local {} B{}{}\n", program.kernel,
      program.file_bytes, program.static_shared, program.local_bytes,
      program.order_sensitive ? ", order-sensitive" : "", program.grid_sync ? ", grid sync" : "");
  for (const auto& constant : program.constants)
    text += fmt::format("  r{} = {:#x}\n", constant.offset / kSlot, constant.bits);
  for (const auto& variable : program.statics)
    text += fmt::format("  {} ({} B): {} address registers\n", variable.name, variable.bytes,
                        variable.address_registers.size());
  for (std::size_t pc = 0; pc < program.code.size(); ++pc) text += instruction_text(program, pc);
  return text;
}

}  // namespace kp::vgpu

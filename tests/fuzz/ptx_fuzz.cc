// SPDX-License-Identifier: Apache-2.0
// Any text as PTX: reading and lowering it must end soon and without a crash, and a program that
// comes out must keep within its own bounds.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "ptx/parse.h"
#include "vgpu/program.h"

namespace {

using namespace kp;        // NOLINT
using namespace kp::vgpu;  // NOLINT

void check_register(const Program& program, std::uint32_t offset, unsigned slots) {
  if (offset == kNone) return;
  KP_CHECK(offset % kSlot == 0, "registers start at slots");
  KP_CHECK(offset + std::uint64_t{slots} * kSlot <= program.file_bytes,
           "registers lie in the file");
}

void check_instruction(const Program& program, const Instruction& instruction) {
  const auto& op = instruction.op;
  const std::uint32_t numbers[] = {op.dst, op.dst2, op.a, op.b, op.c, op.d};
  for (int i = 0; i < 6; ++i) check_register(program, numbers[i], instruction.width[i]);
  check_register(program, instruction.guard, 1);
  KP_CHECK(instruction.line < program.lines.size(), "lines are listed");
  if (instruction.kind == Kind::kBranch)
    KP_CHECK(program.leader.at(instruction.extra) == 1, "branches lead to blocks");
  if (instruction.kind == Kind::kAlu) KP_CHECK(instruction.alu != nullptr, "arithmetic is chosen");
}

void check_program(const Program& program) {
  KP_CHECK(program.leader.size() == program.code.size(), "every instruction has a mark");
  for (const auto& instruction : program.code) check_instruction(program, instruction);
  for (const auto& access : program.accesses) {
    const unsigned slots = access.bytes < 8 ? 2 : access.bytes / 2u;
    for (const auto number : access.registers) check_register(program, number, slots);
  }
  for (const auto& table : program.tables) {
    for (const auto target : table)
      KP_CHECK(program.leader.at(target) == 1, "tables lead to blocks");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto module = ptx::parse(text, "fuzz.ptx");
  if (!module) {
    KP_CHECK(!module.error().message.empty(), "an error must say something");
    return 0;
  }
  for (const auto& function : module->functions) {
    if (!function.is_entry) continue;
    const auto program = lower(*module, function.name);
    if (program) {
      check_program(*program);
    } else {
      KP_CHECK(!program.error().message.empty(), "an error must say something");
    }
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "vgpu/alu/alu.h"
#include "vgpu/lower_error.h"
#include "vgpu/lowering.h"

namespace kp::vgpu {
namespace {

/// Slots that `lane_bytes` bytes a lane take.
std::uint8_t slots(unsigned lane_bytes) {
  if (lane_bytes <= 1) return static_cast<std::uint8_t>(lane_bytes);
  return static_cast<std::uint8_t>(std::max(4u, lane_bytes) * kLanes / kSlot);
}

}  // namespace

Instruction Lowering::make(Kind kind, Class cls, const Operands& op, std::uint32_t sass) {
  Instruction instruction;
  instruction.kind = kind;
  instruction.cls = cls;
  instruction.op = op;
  instruction.sass = sass;
  instruction.guard = guard;
  instruction.guard_negated = at->guard && at->guard->negated;
  instruction.line = line_of(*at);
  instruction.ptx_line = static_cast<std::uint32_t>(at->ptx_line);
  const std::uint32_t numbers[] = {op.dst, op.dst2, op.a, op.b, op.c, op.d};
  for (std::size_t i = 0; i < 6; ++i)
    instruction.width[i] = numbers[i] == kNone ? 0 : slots(registers.lane_bytes(numbers[i]));
  return instruction;
}

Instruction& Lowering::emit(Kind kind, Class cls, const Operands& op, std::uint32_t sass) {
  return blocks[current].code.emplace_back(make(kind, cls, op, sass));
}

Result<void> Lowering::arithmetic(std::string_view form, std::uint32_t dst,
                                  std::initializer_list<std::uint32_t> sources) {
  const auto words = split(form, '.');
  ptx::Instruction instruction;
  instruction.opcode = words.front();
  instruction.modifiers.assign(words.begin() + 1, words.end());
  instruction.operands.resize(1 + sources.size(), {ptx::RegisterName{"%r", false}});
  const auto choice = select_alu(instruction);
  if (!choice) return unsupported(module, *at, form);
  Operands op;
  op.dst = dst;
  op.imm = choice->imm;
  std::uint32_t* const into[] = {&op.a, &op.b, &op.c, &op.d};
  std::size_t next = 0;
  for (const std::uint32_t number : sources) *into[next++] = number;
  emit(Kind::kAlu, choice->cls, op, choice->sass).alu = choice->run;
  return {};
}

Result<void> Lowering::copy(std::uint32_t dst, std::uint32_t from) {
  const unsigned bytes = registers.lane_bytes(dst);
  const std::string_view form = bytes == 1    ? "mov.pred"
                                : bytes == 8  ? "mov.b64"
                                : bytes == 16 ? "mov.b128"
                                              : "mov.b32";
  KP_TRY_VOID(arithmetic(form, dst, {from}));
  blocks[current].code.back().sass = 0;
  return {};
}

std::uint32_t Lowering::access(const Access& access) {
  program.accesses.push_back(access);
  return static_cast<std::uint32_t>(program.accesses.size() - 1);
}

std::uint32_t Lowering::carry() {
  if (carry_ == kNone) carry_ = registers.add(1);
  return carry_;
}

std::uint32_t Lowering::stack_pointer() {
  if (stack_pointer_ == kNone) stack_pointer_ = registers.pin(registers.add(4));
  return stack_pointer_;
}

std::uint32_t Lowering::line_of(const ptx::Instruction& instruction) {
  const auto& place = instruction.location;
  const bool known = place.line > 0 && place.file >= 0 &&
                     static_cast<std::size_t>(place.file) < module.files.size();
  if (!known) return 0;
  const auto [line, fresh] = lines_.try_emplace({place.file, place.line}, 0);
  if (fresh) {
    line->second = static_cast<std::uint32_t>(program.lines.size());
    program.lines.push_back({module.files[static_cast<std::size_t>(place.file)], place.line});
  }
  return line->second;
}

Result<std::uint32_t> Lowering::narrowed(std::uint32_t wide) {
  const auto low = registers.add(4);
  KP_TRY_VOID(arithmetic("cvt.u32.u64", low, {wide}));
  return low;
}

Result<void> Lowering::widen(std::uint32_t dst, std::uint32_t low, ptx::Type type) {
  const bool is_signed = ptx::name_of(type).starts_with('s');
  return arithmetic(is_signed ? "cvt.s64.s32" : "cvt.u64.u32", dst, {low});
}

tl::unexpected<Error> Lowering::unsupported_form(std::string hint) const {
  return unsupported(module, *at, at->form(), std::move(hint));
}

tl::unexpected<Error> Lowering::malformed_form(std::string_view what) const {
  return malformed(module, *at, what);
}

}  // namespace kp::vgpu

// SPDX-License-Identifier: Apache-2.0
// Functions that stay functions, and the mailboxes through which they are called.
#include <fmt/format.h>

#include <algorithm>

#include "vgpu/lower_error.h"
#include "vgpu/lower_flattener.h"

namespace kp::vgpu {
namespace {

bool can_be_passed(const ptx::Variable& variable) {
  constexpr std::uint64_t kMostBytes = 32764;  // of all parameters of a kernel
  return variable.bytes() > 0 && variable.bytes() <= kMostBytes;
}

/// The widest pieces that variables of this shape can be copied in.
unsigned piece_of(const ptx::Variable& shape) {
  const std::uint64_t align =
      shape.align != 0 ? shape.align : std::max(1u, ptx::bytes_of(shape.type));
  unsigned piece = 8;
  while (piece > 1 && (align % piece != 0 || shape.bytes() % piece != 0)) piece /= 2;
  return piece;
}

std::string bits_type(unsigned bytes) { return fmt::format("b{}", 8 * bytes); }

}  // namespace

std::string Flattener::mailbox(std::string_view kind, std::size_t number,
                               const ptx::Variable& like) {
  const auto name = fmt::format("{}@{}", kind, number);
  auto& box = mailboxes_[name];
  box.name = name;
  box.space = ptx::Space::kParam;
  box.type = ptx::Type::kB8;
  box.align = 16;
  box.elements = std::max(box.elements, like.bytes());
  return name;
}

void Flattener::move(const ptx::Instruction& like, std::string opcode, unsigned bytes,
                     std::vector<ptx::Operand> operands) {
  ptx::Instruction one;
  one.opcode = std::move(opcode);
  one.modifiers = {"param", bits_type(bytes)};
  one.operands = std::move(operands);
  one.location = like.location;
  one.ptx_line = like.ptx_line;
  flat_.body.emplace_back(std::move(one));
}

void Flattener::copy(const ptx::Instruction& like, const ptx::Variable& from,
                     const ptx::Variable& to) {
  const bool out = from.space == ptx::Space::kRegister, in = to.space == ptx::Space::kRegister;
  const auto& shape = is_mailbox(from.name) ? to : from;
  if (flat_.body.size() > kMostStatements) return;  // append() refuses the kernel
  const unsigned piece = out || in ? ptx::bytes_of(shape.type) : piece_of(shape);
  ptx::Variable moved;
  moved.name = fmt::format("moved@{}", flat_.variables.size());
  moved.type = *ptx::type_from(bits_type(piece));
  const std::string temporary = out ? from.name : in ? to.name : moved.name;
  if (!out && !in) flat_.variables.push_back(moved);
  for (std::uint64_t at = 0; at < shape.bytes(); at += piece) {
    const auto place = [&](const ptx::Variable& variable) {
      return ptx::Operand{ptx::Address{ptx::Symbol{variable.name}, std::int64_t(at)}};
    };
    const ptx::Operand value{ptx::RegisterName{temporary, false}};
    if (!out) move(like, "ld", piece, {value, place(from)});
    if (!in) move(like, "st", piece, {place(to), value});
  }
}

Result<void> Flattener::append_real_call(const ptx::Instruction& instruction, const Call& call,
                                         const Functions& callees) {
  for (const auto* callee : callees) {
    const bool fits = std::ranges::all_of(callee->parameters, can_be_passed) &&
                      std::ranges::all_of(callee->returns, can_be_passed);
    if (!fits) return malformed(module_, instruction, "a parameter has no usable size");
    request(*callee);
  }
  const auto own = [&](const ptx::Operand& actual, const std::vector<ptx::Variable>* formals,
                       std::size_t i) -> std::optional<ptx::Variable> {
    if (!std::holds_alternative<ptx::Symbol>(actual.value) && formals == nullptr) return {};
    const auto* known = variable(formals == nullptr ? std::get<ptx::Symbol>(actual.value).name
                                                    : bind((*formals)[i], actual));
    return known == nullptr || !can_be_passed(*known) ? std::nullopt : std::optional(*known);
  };
  const auto* callee = callees.empty() ? nullptr : callees.front();
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const auto from = own(call.arguments[i], callee ? &callee->parameters : nullptr, i);
    if (!from) return malformed(module_, instruction, "an argument is no variable");
    transfer(instruction, call.arguments[i], from->name, true);
    ptx::Variable to;
    to.name = mailbox("passed", i, *from);
    to.space = ptx::Space::kParam;
    copy(instruction, *from, to);
  }
  auto jump = instruction;
  jump.guard.reset();
  jump.operands = {call.target != nullptr ? *call.target : ptx::Operand{ptx::Symbol{call.callee}}};
  flat_.body.emplace_back(std::move(jump));
  for (std::size_t i = 0; i < call.returns.size(); ++i) {
    const auto to = own(call.returns[i], callee ? &callee->returns : nullptr, i);
    if (!to) return malformed(module_, instruction, "a result is no variable");
    ptx::Variable from;
    from.name = mailbox("returned", i, *to);
    from.space = ptx::Space::kParam;
    copy(instruction, from, *to);
    transfer(instruction, call.returns[i], to->name, false);
  }
  return {};
}

void Flattener::request(const ptx::Function& function) {
  const bool known = std::any_of(flat_.functions.begin(), flat_.functions.end(),
                                 [&](const FlatFunction& one) { return one.source == &function; });
  if (!known) flat_.functions.push_back({&function, graph_.recursive(function)});
}

Result<void> Flattener::append_function(std::size_t number) {
  const ptx::Function& source = *flat_.functions[number].source;
  flat_.functions[number].first_statement = flat_.body.size();
  flat_.functions[number].first_variable = flat_.variables.size();
  ptx::Instruction here;
  here.opcode = "ret";
  here.ptx_line = source.ptx_line;
  std::unordered_map<std::string, std::string> bound;
  const auto declare_own = [&](const ptx::Variable& formal) {
    auto own = formal;
    own.name += fmt::format("@{}", number);
    bound[formal.name] = own.name;
    flat_.variables.push_back(own);
    return own;
  };
  ptx::Variable box;
  box.space = ptx::Space::kParam;
  for (std::size_t i = 0; i < source.parameters.size(); ++i) {
    box.name = mailbox("passed", i, source.parameters[i]);
    copy(here, box, declare_own(source.parameters[i]));
  }
  std::vector<ptx::Variable> results;
  for (const auto& formal : source.returns) results.push_back(declare_own(formal));
  KP_TRY_VOID(append(source, std::move(bound)));
  for (std::size_t i = 0; i < results.size(); ++i) {
    box.name = mailbox("returned", i, results[i]);
    copy(here, results[i], box);
  }
  flat_.body.emplace_back(here);
  flat_.functions[number].end_variable = flat_.variables.size();
  return {};
}

}  // namespace kp::vgpu

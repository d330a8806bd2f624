// SPDX-License-Identifier: Apache-2.0
#include "vgpu/lower_flat.h"

#include <fmt/format.h>

#include <algorithm>

#include "vgpu/lower_error.h"
#include "vgpu/lower_flattener.h"
#include "vgpu/lower_special.h"

namespace kp::vgpu {
namespace {

constexpr std::size_t kDeepestCalls = 64;

bool is_static(const ptx::Variable& variable) {
  return variable.space == ptx::Space::kShared || variable.space == ptx::Space::kGlobal ||
         variable.space == ptx::Space::kConst;
}

}  // namespace

struct Flattener::Copy {
  const ptx::Function* function = nullptr;
  std::string suffix;  // "" for the kernel itself, "#2" for a copy
  std::unordered_map<std::string, std::string> symbols;  // labels, variables, formal parameters

  std::string end_label() const { return "end" + suffix; }
  void rename(std::string& name, bool is_register) const;
};

void Flattener::Copy::rename(std::string& name, bool is_register) const {
  if (suffix.empty()) return;
  if (const auto known = symbols.find(name); known != symbols.end()) {
    name = known->second;
  } else if (is_register && name != "_" && !special_register(name)) {
    name += suffix;
  }
}

Result<Flat> Flattener::run(const ptx::Function& entry) {
  KP_TRY_VOID(append(entry, {}));
  // Functions ask for more functions.
  for (std::size_t i = 0; i < flat_.functions.size(); ++i) KP_TRY_VOID(append_function(i));
  for (const auto& [name, box] : mailboxes_) flat_.variables.push_back(box);
  return std::move(flat_);
}

void Flattener::declare(Copy& copy) {
  for (const auto& local : copy.function->locals) {
    auto variable = local;
    if (!copy.suffix.empty()) {
      // A static variable is one, however often its function is called.
      variable.name += is_static(local) ? "##" + copy.function->name : copy.suffix;
      if (local.space != ptx::Space::kRegister) copy.symbols[local.name] = variable.name;
    }
    if (is_static(local) && !shared_.insert(variable.name).second) continue;
    flat_.variables.push_back(std::move(variable));
  }
  for (auto table : copy.function->tables) {
    copy.symbols[table.name] = table.name += copy.suffix;
    for (auto& label : table.labels) label += copy.suffix;
    flat_.tables.push_back(std::move(table));
  }
  for (const auto& statement : copy.function->body) {
    if (const auto* label = std::get_if<ptx::Label>(&statement))
      copy.symbols[label->name] = label->name + copy.suffix;
  }
}

Result<void> Flattener::append(const ptx::Function& function,
                               std::unordered_map<std::string, std::string> bound) {
  Copy copy{&function, copies_ == 0 ? "" : fmt::format("#{}", copies_), std::move(bound)};
  ++copies_;
  declare(copy);
  calls_.push_back(&function);
  for (const auto& statement : function.body) {
    if (const auto* label = std::get_if<ptx::Label>(&statement)) {
      flat_.body.emplace_back(ptx::Label{label->name + copy.suffix, label->ptx_line});
    } else {
      KP_TRY_VOID(instruction(copy, std::get<ptx::Instruction>(statement)));
    }
    if (flat_.body.size() > kMostStatements) {
      return fail(ErrorCode::kLimit,
                  fmt::format("kernel {} has more than {} instructions with its calls inlined",
                              calls_.front()->name, kMostStatements),
                  "call fewer large functions, or unroll less");
    }
  }
  calls_.pop_back();
  if (!copy.suffix.empty()) flat_.body.emplace_back(ptx::Label{copy.end_label(), 0});
  return {};
}

Result<void> Flattener::instruction(const Copy& copy, ptx::Instruction instruction) {
  const auto rename = [&](std::string& name, bool is_register) { copy.rename(name, is_register); };
  for (auto& operand : instruction.operands) for_each_name(operand, rename);
  if (instruction.guard) copy.rename(instruction.guard->name, true);
  if (instruction.opcode == "call") return append_call(instruction);
  if (instruction.opcode == "ret" && !copy.suffix.empty()) {
    branch(instruction, copy.end_label(), instruction.guard);
  } else {
    flat_.body.emplace_back(std::move(instruction));
  }
  return {};
}

void Flattener::branch(const ptx::Instruction& like, std::string label,
                       std::optional<ptx::RegisterName> guard) {
  ptx::Instruction jump;
  jump.opcode = "bra";
  jump.guard = std::move(guard);
  jump.operands.push_back({ptx::Symbol{std::move(label)}});
  jump.location = like.location;
  jump.ptx_line = like.ptx_line;
  flat_.body.emplace_back(std::move(jump));
}

const ptx::Variable* Flattener::variable(const std::string& name) const {
  const auto found = std::find_if(flat_.variables.rbegin(), flat_.variables.rend(),
                                  [&](const ptx::Variable& one) { return one.name == name; });
  return found == flat_.variables.rend() ? nullptr : &*found;
}

std::string Flattener::bind(const ptx::Variable& formal, const ptx::Operand& actual) {
  if (const auto* variable = std::get_if<ptx::Symbol>(&actual.value)) return variable->name;
  auto variable = formal;
  variable.name = fmt::format("passed#{}", flat_.variables.size());
  flat_.variables.push_back(variable);
  return variable.name;
}

void Flattener::transfer(const ptx::Instruction& call, const ptx::Operand& actual,
                         const std::string& name, bool store) {
  if (std::holds_alternative<ptx::Symbol>(actual.value)) return;
  const auto& passed_as = *variable(name);
  const bool in_register = passed_as.space == ptx::Space::kRegister;
  ptx::Instruction move;
  move.opcode = in_register ? "mov" : store ? "st" : "ld";
  if (!in_register) move.modifiers.emplace_back("param");
  move.modifiers.emplace_back(ptx::name_of(passed_as.type));
  move.location = call.location;
  move.ptx_line = call.ptx_line;
  const ptx::Operand passed = in_register ? ptx::Operand{ptx::RegisterName{name, false}}
                                          : ptx::Operand{ptx::Address{ptx::Symbol{name}, 0}};
  move.operands = store ? std::vector{passed, actual} : std::vector{actual, passed};
  flat_.body.emplace_back(std::move(move));
}

Result<const ptx::Function*> Flattener::callee_of(const ptx::Instruction& instruction,
                                                  const Call& call) const {
  const auto* callee = module_.find(call.callee);
  if (callee == nullptr || callee->body.empty())
    return unsupported(module_, instruction, "call " + call.callee,
                       "only functions whose body is in the kernel's source can be called");
  if (calls_.size() >= kDeepestCalls)
    return unsupported(module_, instruction, "call " + call.callee,
                       fmt::format("calls can be nested {} deep", kDeepestCalls));
  const bool matches = callee->returns.size() == call.returns.size() &&
                       callee->parameters.size() == call.arguments.size();
  if (!matches) return malformed(module_, instruction, "the call does not match the function");
  return callee;
}

Result<void> Flattener::append_call(const ptx::Instruction& instruction) {
  const Call call = call_parts(instruction);
  if (call.callee == "__assertfail") {
    auto trap = instruction;
    trap.opcode = "trap";
    trap.modifiers.clear();
    trap.operands.clear();
    flat_.body.emplace_back(std::move(trap));
    return {};
  }
  if (call.callee == "vprintf") return append_printf(instruction, call);
  const auto behind = fmt::format("behind#{}.{}", copies_, flat_.body.size());
  if (instruction.guard) {
    auto skip = *instruction.guard;
    skip.negated = !skip.negated;
    branch(instruction, behind, skip);
  }
  if (call.target != nullptr) {
    KP_TRY_VOID(append_real_call(instruction, call, graph_.targets(call)));
  } else {
    KP_TRY(const ptx::Function* callee, callee_of(instruction, call));
    if (graph_.recursive(*callee)) {
      KP_TRY_VOID(append_real_call(instruction, call, {callee}));
    } else {
      KP_TRY_VOID(append_copy(instruction, call, *callee));
    }
  }
  if (instruction.guard) flat_.body.emplace_back(ptx::Label{behind, instruction.ptx_line});
  return {};
}

/// Nothing is printed; the result is 0, which nobody looks at.
Result<void> Flattener::append_printf(const ptx::Instruction& instruction, const Call& call) {
  const auto* result =
      call.returns.empty() ? nullptr : std::get_if<ptx::Symbol>(&call.returns[0].value);
  if (result == nullptr) return {};
  move(instruction, "st", 4,
       {ptx::Operand{ptx::Address{*result, 0}}, ptx::Operand{ptx::Immediate{}}});
  return {};
}

Result<void> Flattener::append_copy(const ptx::Instruction& instruction, const Call& call,
                                    const ptx::Function& callee) {
  std::unordered_map<std::string, std::string> bound;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    auto& name = bound[callee.parameters[i].name] = bind(callee.parameters[i], call.arguments[i]);
    transfer(instruction, call.arguments[i], name, true);
  }
  for (std::size_t i = 0; i < call.returns.size(); ++i)
    bound[callee.returns[i].name] = bind(callee.returns[i], call.returns[i]);
  const auto names = bound;
  KP_TRY_VOID(append(callee, std::move(bound)));
  for (std::size_t i = 0; i < call.returns.size(); ++i)
    transfer(instruction, call.returns[i], names.at(callee.returns[i].name), false);
  return {};
}

Result<Flat> flatten(const ptx::Module& module, const ptx::Function& entry) {
  return Flattener(module).run(entry);
}

void for_each_name(ptx::Operand& operand, const std::function<void(std::string&, bool)>& visit) {
  auto& value = operand.value;
  if (auto* name = std::get_if<ptx::RegisterName>(&value)) return visit(name->name, true);
  if (auto* symbol = std::get_if<ptx::Symbol>(&value)) return visit(symbol->name, false);
  if (auto* pair = std::get_if<ptx::Pair>(&value)) {
    visit(pair->first.name, true);
    return visit(pair->second.name, true);
  }
  if (auto* vector = std::get_if<ptx::Vector>(&value)) {
    for (auto& part : vector->parts) for_each_name(part, visit);
  }
  if (auto* address = std::get_if<ptx::Address>(&value)) {
    if (auto* name = std::get_if<ptx::RegisterName>(&address->base)) return visit(name->name, true);
    if (auto* symbol = std::get_if<ptx::Symbol>(&address->base)) visit(symbol->name, false);
  }
}

}  // namespace kp::vgpu

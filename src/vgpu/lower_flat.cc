// SPDX-License-Identifier: Apache-2.0
#include "vgpu/lower_flat.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "vgpu/lower_error.h"
#include "vgpu/lower_special.h"

namespace kp::vgpu {
namespace {

constexpr std::size_t kMostStatements = 1u << 20;
constexpr std::size_t kDeepestCalls = 64;

/// One copy of a function: what its names become.
struct Copy {
  const ptx::Function* function = nullptr;
  std::string suffix;  // "" for the kernel itself, "#2" for a copy
  std::unordered_map<std::string, std::string> symbols;  // labels, variables, formal parameters

  std::string end_label() const { return "end" + suffix; }
  void rename(std::string& name, bool is_register) const;
};

void Copy::rename(std::string& name, bool is_register) const {
  if (suffix.empty()) return;
  if (const auto known = symbols.find(name); known != symbols.end()) {
    name = known->second;
  } else if (is_register && name != "_" && !special_register(name)) {
    name += suffix;
  }
}

/// The parts of a call, see parse.h.
struct Call {
  std::vector<ptx::Operand> returns, arguments;
  std::string callee;
  bool direct = false;
};

Call call_parts(const ptx::Instruction& instruction) {
  Call call;
  std::size_t at = 0;
  const auto& operands = instruction.operands;
  const auto list = [&](std::vector<ptx::Operand>& into) {
    if (at >= operands.size()) return;
    if (const auto* vector = std::get_if<ptx::Vector>(&operands[at].value)) {
      into = vector->parts;
      ++at;
    }
  };
  list(call.returns);
  if (at < operands.size()) {
    const auto* symbol = std::get_if<ptx::Symbol>(&operands[at].value);
    call.direct = symbol != nullptr;
    if (symbol != nullptr) call.callee = symbol->name;
    ++at;
  }
  list(call.arguments);
  return call;
}

class Flattener {
 public:
  explicit Flattener(const ptx::Module& module) : module_(module) {}
  Result<Flat> run(const ptx::Function& entry);

 private:
  Result<void> append(const ptx::Function& function,
                      std::unordered_map<std::string, std::string> bound);
  Result<void> append_call(const ptx::Instruction& instruction);
  Result<const ptx::Function*> callee_of(const ptx::Instruction& instruction,
                                         const Call& call) const;
  void declare(Copy& copy);
  Result<void> instruction(const Copy& copy, ptx::Instruction instruction);
  /// The flat name behind a formal parameter: the actual variable itself, or a new one when the
  /// call passes a register or a literal.
  std::string bind(const ptx::Variable& formal, const ptx::Operand& actual);
  /// Moves a register or literal into (`store`) or out of the variable that bind() made for it.
  void transfer(const ptx::Instruction& call, const ptx::Operand& actual, const std::string& name,
                bool store);
  void branch(const ptx::Instruction& like, std::string label,
              std::optional<ptx::RegisterName> guard);

  const ptx::Module& module_;
  Flat flat_;
  std::vector<const ptx::Function*> calls_;  // open ones, outermost first
  std::unordered_set<std::string> shared_;   // variables that all copies of a function share
  std::size_t copies_ = 0;
};

Result<Flat> Flattener::run(const ptx::Function& entry) {
  KP_TRY_VOID(append(entry, {}));
  return std::move(flat_);
}

bool is_static(const ptx::Variable& variable) {
  return variable.space == ptx::Space::kShared || variable.space == ptx::Space::kGlobal ||
         variable.space == ptx::Space::kConst;
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
  const auto variable = std::find_if(flat_.variables.rbegin(), flat_.variables.rend(),
                                     [&](const ptx::Variable& one) { return one.name == name; });
  const bool in_register = variable->space == ptx::Space::kRegister;
  ptx::Instruction move;
  move.opcode = in_register ? "mov" : store ? "st" : "ld";
  if (!in_register) move.modifiers.emplace_back("param");
  move.modifiers.emplace_back(ptx::name_of(variable->type));
  move.location = call.location;
  move.ptx_line = call.ptx_line;
  const ptx::Operand passed = in_register ? ptx::Operand{ptx::RegisterName{name, false}}
                                          : ptx::Operand{ptx::Address{ptx::Symbol{name}, 0}};
  move.operands = store ? std::vector{passed, actual} : std::vector{actual, passed};
  flat_.body.emplace_back(std::move(move));
}

Result<const ptx::Function*> Flattener::callee_of(const ptx::Instruction& instruction,
                                                  const Call& call) const {
  if (!call.direct)
    return unsupported(module_, instruction, "call through a pointer",
                       "call the function directly, or make the choice a template parameter");
  const auto* callee = module_.find(call.callee);
  if (callee == nullptr || callee->body.empty())
    return unsupported(module_, instruction, "call " + call.callee,
                       "only functions whose body is in the kernel's source can be called");
  const bool recursive = std::find(calls_.begin(), calls_.end(), callee) != calls_.end();
  if (recursive || calls_.size() >= kDeepestCalls)
    return unsupported(module_, instruction, "recursive call " + call.callee,
                       "write the recursion as a loop with an explicit stack");
  const bool matches = callee->returns.size() == call.returns.size() &&
                       callee->parameters.size() == call.arguments.size();
  if (!matches) return malformed(module_, instruction, "the call does not match the function");
  return callee;
}

Result<void> Flattener::append_call(const ptx::Instruction& instruction) {
  const Call call = call_parts(instruction);
  if (call.direct && call.callee == "__assertfail") {
    auto trap = instruction;
    trap.opcode = "trap";
    trap.modifiers.clear();
    trap.operands.clear();
    flat_.body.emplace_back(std::move(trap));
    return {};
  }
  KP_TRY(const ptx::Function* callee, callee_of(instruction, call));
  const auto behind = fmt::format("behind#{}", copies_);
  if (instruction.guard) {
    auto skip = *instruction.guard;
    skip.negated = !skip.negated;
    branch(instruction, behind, skip);
  }
  std::unordered_map<std::string, std::string> bound;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    auto& name = bound[callee->parameters[i].name] = bind(callee->parameters[i], call.arguments[i]);
    transfer(instruction, call.arguments[i], name, true);
  }
  for (std::size_t i = 0; i < call.returns.size(); ++i)
    bound[callee->returns[i].name] = bind(callee->returns[i], call.returns[i]);
  const auto names = bound;
  KP_TRY_VOID(append(*callee, std::move(bound)));
  for (std::size_t i = 0; i < call.returns.size(); ++i)
    transfer(instruction, call.returns[i], names.at(callee->returns[i].name), false);
  if (instruction.guard) flat_.body.emplace_back(ptx::Label{behind, instruction.ptx_line});
  return {};
}

}  // namespace

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

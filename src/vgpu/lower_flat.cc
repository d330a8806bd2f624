// SPDX-License-Identifier: Apache-2.0
#include "vgpu/lower_flat.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "vgpu/lower_calls.h"
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

using Functions = std::vector<const ptx::Function*>;

class Flattener {
 public:
  explicit Flattener(const ptx::Module& module) : module_(module), graph_(module) {}
  Result<Flat> run(const ptx::Function& entry);

 private:
  Result<void> append(const ptx::Function& function,
                      std::unordered_map<std::string, std::string> bound);
  Result<void> append_call(const ptx::Instruction& instruction);
  Result<void> append_copy(const ptx::Instruction& instruction, const Call& call,
                           const ptx::Function& callee);
  Result<void> append_real_call(const ptx::Instruction& instruction, const Call& call,
                                const Functions& callees);
  Result<void> append_function(std::size_t number);
  Result<void> append_printf(const ptx::Instruction& instruction, const Call& call);
  void request(const ptx::Function& function);
  /// "passed@i" or "returned@i", large enough for `like`.
  std::string mailbox(std::string_view kind, std::size_t number, const ptx::Variable& like);
  /// Copies a variable of a call into a mailbox, or a mailbox into one.
  void copy(const ptx::Instruction& like, const ptx::Variable& from, const ptx::Variable& to);
  void move(const ptx::Instruction& like, std::string opcode, unsigned bytes,
            std::vector<ptx::Operand> operands);
  const ptx::Variable* variable(const std::string& name) const;
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
  CallGraph graph_;
  Flat flat_;
  std::map<std::string, ptx::Variable> mailboxes_;
  std::vector<const ptx::Function*> calls_;  // open ones, outermost first
  std::unordered_set<std::string> shared_;   // variables that all copies of a function share
  std::size_t copies_ = 0;
};

Result<Flat> Flattener::run(const ptx::Function& entry) {
  KP_TRY_VOID(append(entry, {}));
  // Functions ask for more functions.
  for (std::size_t i = 0; i < flat_.functions.size(); ++i) KP_TRY_VOID(append_function(i));
  for (const auto& [name, box] : mailboxes_) flat_.variables.push_back(box);
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

// SPDX-License-Identifier: Apache-2.0
#include "vgpu/lower_calls.h"

#include <algorithm>
#include <unordered_set>

namespace kp::vgpu {

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
    if (symbol != nullptr)
      call.callee = symbol->name;
    else
      call.target = &operands[at];
    ++at;
  }
  list(call.arguments);
  return call;
}

const ptx::Function* CallGraph::defined(const std::string& name) {
  if (by_name_.empty()) {
    for (const auto& function : module_.functions)
      if (!function.body.empty()) by_name_.try_emplace(function.name, &function);
  }
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

const CallGraph::Functions& CallGraph::taken() {
  if (has_taken_) return taken_;
  has_taken_ = true;
  std::unordered_set<const ptx::Function*> seen;
  const auto take = [&](const std::string& name) {
    const auto* function = defined(name);
    if (function != nullptr && !function->is_entry && seen.insert(function).second)
      taken_.push_back(function);
  };
  for (const auto& variable : module_.globals)
    for (const auto& [offset, symbol] : variable.relocations) take(symbol);
  for (const auto& function : module_.functions) {
    for (const auto& statement : function.body) {
      const auto* instruction = std::get_if<ptx::Instruction>(&statement);
      if (instruction == nullptr || instruction->opcode != "mov") continue;
      for (const auto& operand : instruction->operands)
        if (const auto* symbol = std::get_if<ptx::Symbol>(&operand.value)) take(symbol->name);
    }
  }
  return taken_;
}

std::vector<const ptx::Function*> CallGraph::targets(const Call& call) {
  Functions found;
  std::ranges::copy_if(taken(), std::back_inserter(found), [&](const ptx::Function* function) {
    return function->returns.size() == call.returns.size() &&
           function->parameters.size() == call.arguments.size();
  });
  return found;
}

const CallGraph::Functions& CallGraph::callees(const ptx::Function& function) {
  const auto [at, fresh] = callees_.try_emplace(&function);
  if (!fresh) return at->second;
  Functions found;
  for (const auto& statement : function.body) {
    const auto* instruction = std::get_if<ptx::Instruction>(&statement);
    if (instruction == nullptr || instruction->opcode != "call") continue;
    const Call call = call_parts(*instruction);
    if (call.target != nullptr) {
      const auto more = targets(call);
      found.insert(found.end(), more.begin(), more.end());
    } else if (const auto* callee = defined(call.callee)) {
      found.push_back(callee);
    }
  }
  return callees_[&function] = std::move(found);
}

bool CallGraph::recursive(const ptx::Function& function) {
  const auto [at, fresh] = recursive_.try_emplace(&function, false);
  if (!fresh) return at->second;
  std::unordered_set<const ptx::Function*> seen;
  Functions open = callees(function);
  while (!open.empty() && !seen.contains(&function)) {
    const auto* next = open.back();
    open.pop_back();
    if (!seen.insert(next).second) continue;
    const auto& more = callees(*next);
    open.insert(open.end(), more.begin(), more.end());
  }
  return recursive_[&function] = seen.contains(&function);
}

}  // namespace kp::vgpu

// SPDX-License-Identifier: Apache-2.0
#include "ptx/scope.h"

#include <fmt/format.h>

namespace kp::ptx {
namespace {

std::string_view without_number(std::string_view name) {
  const std::size_t last = name.find_last_not_of("0123456789");
  return last == std::string_view::npos ? name : name.substr(0, last + 1);
}

}  // namespace

void Scopes::enter(std::size_t body_size) {
  scopes_.push_back({{}, {}, {}, entered_++, body_size});
}

void Scopes::declare(Variable& variable) {
  Scope& scope = scopes_.back();
  const bool inner = depth() > 1;
  const bool is_register = variable.space == Space::kRegister;
  const std::string written = variable.name;
  if (inner) variable.name += fmt::format("@{}{}", scope.number, variable.count > 0 ? "@" : "");
  // Outermost names with '%' are registers by their look; not listing them keeps look-up cheap.
  if (!inner && written.starts_with('%')) return;
  (variable.count > 0 ? scope.ranges : scope.names)[written] = {variable.name, is_register};
}

std::string Scopes::declare_label(std::string_view name) {
  if (depth() <= 1) return std::string(name);
  auto flat = fmt::format("{}@{}", name, scopes_.back().number);
  scopes_.back().labels[std::string(name)] = {flat, false};
  return flat;
}

Scopes::Resolved Scopes::resolve(std::string_view name) const {
  const bool looks_register = name.starts_with('%');
  if (depth() <= 1 && looks_register) return {std::string(name), true};
  const std::string whole(name), prefix(without_number(name));
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (const auto found = scope->names.find(whole); found != scope->names.end())
      return {found->second.flat, found->second.is_register};
    if (const auto found = scope->ranges.find(prefix);
        found != scope->ranges.end() && prefix.size() < name.size())
      return {found->second.flat + whole.substr(prefix.size()), found->second.is_register};
  }
  return {whole, looks_register};
}

void Scopes::leave(Function& function) {
  const Scope scope = std::move(scopes_.back());
  scopes_.pop_back();
  if (scope.labels.empty()) return;
  const auto rename = [&](std::string& name) {
    if (const auto found = scope.labels.find(name); found != scope.labels.end())
      name = found->second.flat;
  };
  for (std::size_t i = scope.begin; i < function.body.size(); ++i) {
    auto* instruction = std::get_if<Instruction>(&function.body[i]);
    if (instruction == nullptr) continue;
    for (auto& operand : instruction->operands) {
      if (auto* symbol = std::get_if<Symbol>(&operand.value)) rename(symbol->name);
    }
  }
  for (auto& table : function.tables) {
    rename(table.name);
    for (auto& label : table.labels) rename(label);
  }
}

}  // namespace kp::ptx

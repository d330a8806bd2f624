// SPDX-License-Identifier: Apache-2.0
#include "propose/jam.h"

#include <algorithm>

#include "propose/effects.h"
#include "propose/loops.h"
#include "propose/statements.h"

namespace kp::propose {

bool Jam::has(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Jam::Jam(const SourceTree& tree, const SyntaxNode& function, std::string index, std::string step)
    : tree_(tree), function_(function), index_(std::move(index)), step_(std::move(step)) {}

bool Jam::read(const std::vector<SyntaxNode>& statements, bool stores) {
  statements_ = statements;
  const bool all = std::all_of(statements.begin(), statements.end(), [&](const SyntaxNode& s) {
    return read_statement(s, stores, false);
  });
  if (!all || !only_accumulate(statements)) return false;
  // A turn that loads what an earlier one stored would come too early.
  for (const std::string& array : stored_) {
    std::size_t mentions = 0;
    for (const SyntaxNode& s : statements) mentions += mentions_of(tree_, s, array).size();
    if (mentions != static_cast<std::size_t>(std::count(stored_.begin(), stored_.end(), array))) {
      return false;
    }
  }
  return true;
}

bool Jam::read_statement(const SyntaxNode& statement, bool stores, bool conditional) {
  if (statement.type() == "for_statement") return !conditional && read_loop(statement, stores);
  if (!conditional) leaves_.push_back(statement);
  if (statement.type() == "declaration") return !conditional && read_declaration(statement);
  if (read_accumulation(statement)) return true;
  if (statement.type() == "expression_statement") return read_expression(statement, stores);
  if (statement.type() != "if_statement") return false;
  if (!is_pure(tree_, statement.field("condition"))) return false;
  const SyntaxNode otherwise = statement.field("alternative");
  std::vector<SyntaxNode> parts = statements_of(statement.field("consequence"));
  if (otherwise.valid()) {
    for (const SyntaxNode& branch : otherwise.children()) {
      for (const SyntaxNode& part : statements_of(branch)) parts.push_back(part);
    }
  }
  return std::all_of(parts.begin(), parts.end(),
                     [&](const SyntaxNode& part) { return read_statement(part, stores, true); });
}

/// All turns go around together: nothing of a turn decides how often.
bool Jam::read_loop(const SyntaxNode& statement, bool stores) {
  const auto loop = match_counted_loop(tree_, statement);
  if (!loop || loop->type.empty() || has_continue(tree_, *loop)) return false;
  std::vector<std::string> own = locals_;
  own.push_back(index_);
  for (const SyntaxNode& name : tree_.all(statement, "identifier")) {
    if (!lies_in(name, loop->body) && has(own, name.text())) return false;
  }
  return std::all_of(loop->statements.begin(), loop->statements.end(),
                     [&](const SyntaxNode& part) { return read_statement(part, stores, false); });
}

bool Jam::read_declaration(const SyntaxNode& declaration) {
  if (declaration.text().find("static") != std::string_view::npos ||
      declaration.text().find("__shared__") != std::string_view::npos) {
    return false;
  }
  const auto declarators = tree_.all(declaration, "init_declarator");
  if (declarators.empty() || !tree_.all(declaration, "reference_declarator").empty()) return false;
  if (declaration.field("type").text() == "auto") return false;
  for (const SyntaxNode& declarator : declarators) {
    SyntaxNode name = declarator.field("declarator");
    if (name.type() == "pointer_declarator") name = name.field("declarator");
    if (name.type() != "identifier" || !is_pure(tree_, declarator.field("value"))) return false;
    locals_.emplace_back(name.text());
  }
  return true;
}

bool Jam::read_accumulation(const SyntaxNode& statement) {
  const auto found = match_accumulation(statement);
  if (!found || found->target.type() != "identifier") return false;
  const std::string name(found->target.text());
  if (has(locals_, name) || !declared_once(tree_, function_, name)) return false;
  const SyntaxNode declaration = declaration_of(tree_, function_, name);
  // Only a variable of its own: a reference or pointer leads somewhere else.
  const bool plain = tree_.all(declaration, "reference_declarator").empty() &&
                     tree_.all(declaration, "pointer_declarator").empty();
  const std::string type(declaration.field("type").text());
  if (!plain || type == "auto") return false;
  for (const SyntaxNode& part : statement.children()) {
    // The assignment itself is no pure expression, its operands must be.
    for (const SyntaxNode& call : tree_.all(part, "call_expression")) {
      if (!is_pure(tree_, call)) return false;
    }
    const auto assignments = tree_.all(statement, "assignment_expression");
    const auto steps = tree_.all(statement, "update_expression");
    if (assignments.size() + steps.size() != 1) return false;
  }
  const auto known = std::find_if(accumulators_.begin(), accumulators_.end(),
                                  [&](const Accumulator& a) { return a.name == name; });
  if (known == accumulators_.end()) {
    accumulators_.push_back({name, type, found->combine});
    accumulator_mentions_.push_back(found->mentions);
    return true;
  }
  accumulator_mentions_[static_cast<std::size_t>(known - accumulators_.begin())] += found->mentions;
  return known->combine == found->combine;
}

/// Assigns to a variable of the turn or, where allowed, to an element of an array.
bool Jam::read_expression(const SyntaxNode& statement, bool stores) {
  const auto parts = statements_of(statement).front().children();
  if (parts.size() != 1 || parts.front().type() != "assignment_expression") return false;
  const SyntaxNode left = parts.front().field("left"), right = parts.front().field("right");
  if (!is_pure(tree_, right) || !is_pure(tree_, left)) return false;
  if (left.type() == "identifier") return has(locals_, left.text());
  const SyntaxNode array = array_of(left);
  if (!stores || left.type() != "subscript_expression" || array.type() != "identifier" ||
      parts.front().field("operator").text() != "=") {
    return false;
  }
  stored_.emplace_back(array.text());
  return true;
}

/// No statement looks at an accumulator but to combine into it.
bool Jam::only_accumulate(const std::vector<SyntaxNode>& statements) const {
  for (std::size_t k = 0; k < accumulators_.size(); ++k) {
    std::size_t mentions = 0;
    for (const SyntaxNode& s : statements) {
      mentions += mentions_of(tree_, s, accumulators_[k].name).size();
    }
    if (mentions != static_cast<std::size_t>(accumulator_mentions_[k])) return false;
  }
  return true;
}

}  // namespace kp::propose

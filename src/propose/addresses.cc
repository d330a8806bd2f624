// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "propose/edit.h"
#include "propose/effects.h"
#include "propose/index_arithmetic.h"
#include "propose/loops.h"
#include "propose/pointees.h"
#include "propose/reduction.h"
#include "propose/statements.h"

namespace kp::propose {
namespace {

/// The operands of a sum, in order; false when something is subtracted.
bool terms_of(const SyntaxNode& expression, std::vector<SyntaxNode>& terms) {
  const SyntaxNode node = without_parentheses(expression);
  if (node.type() != "binary_expression") {
    terms.push_back(node);
    return true;
  }
  const std::string_view sign = operator_of(node);
  if (sign == "-") return false;
  if (sign != "+") {
    terms.push_back(node);
    return true;
  }
  return terms_of(node.field("left"), terms) && terms_of(node.field("right"), terms);
}

/// base + index * stride; `stride` is empty for 1.
struct Linear {
  std::string base, stride;
};

std::optional<Linear> linear_in(const SourceTree& tree, const SyntaxNode& subscript,
                                const CountedLoop& loop) {
  std::vector<SyntaxNode> terms;
  if (!terms_of(subscript, terms)) return std::nullopt;
  Linear linear;
  bool found = false, worth = false;
  for (const SyntaxNode& term : terms) {
    if (!mentions(tree, term, loop.index)) {
      if (!is_invariant(tree, term, loop.statement)) return std::nullopt;
      if (term.text().find('-') != std::string_view::npos) return std::nullopt;
      // A constant offset costs an access nothing.
      worth = worth || !constant_integer(tree, term, {});
      linear.base += fmt::format("{}{}", linear.base.empty() ? "" : " + ", term.text());
      continue;
    }
    if (found) return std::nullopt;
    found = true;
    if (term.text() == loop.index) continue;
    if (term.type() != "binary_expression" || operator_of(term) != "*") return std::nullopt;
    const SyntaxNode left = term.field("left"), right = term.field("right");
    const SyntaxNode other = left.text() == loop.index ? right : left;
    if (!(left.text() == loop.index || right.text() == loop.index)) return std::nullopt;
    if (!is_invariant(tree, other, loop.statement) || other.type() == "binary_expression") {
      return std::nullopt;
    }
    linear.stride = other.text();
    worth = worth || !constant_integer(tree, other, {});
  }
  if (!found || !worth) return std::nullopt;
  return linear;
}

/// One address that is computed before a loop.
struct Hoisted {
  std::string pointer, name, subscript;
  Linear linear;
};

class Hoisting {
 public:
  /// `taken`: names that other loops of the kernel got.
  Hoisting(const SourceTree& tree, const SyntaxNode& kernel, const CountedLoop& loop,
           std::vector<std::string>& taken)
      : tree_(tree), kernel_(kernel), loop_(loop), taken_(taken) {}

  void apply(Edits& edits) {
    if (loop_.statement.parent().type() != "compound_statement" || unroll_pragma(loop_).valid())
      return;
    for (const SyntaxNode& parameter : kernel_.field("declarator").field("parameters").children()) {
      const auto pointer = read_pointer(tree_, parameter);
      if (!pointer || may_change(tree_, kernel_.field("body"), pointer->name)) continue;
      if (declared_once(tree_, kernel_, pointer->name)) replace_uses(*pointer, edits);
    }
    finish(edits);
  }

 private:
  void replace_uses(const Pointer& pointer, Edits& edits) {
    for (const SyntaxNode& name : mentions_of(tree_, loop_.body, pointer.name)) {
      const SyntaxNode use = name.parent();
      if (use.type() != "subscript_expression" || !(use.field("argument") == name)) continue;
      const auto subscripts = use.field("indices").children();
      if (subscripts.size() != 1) continue;
      const auto linear = linear_in(tree_, subscripts.front(), loop_);
      if (!linear) continue;
      const std::string& target = name_for(pointer, squeezed(subscripts.front().text()), *linear);
      edits.replace(use, linear->stride.empty() ? fmt::format("{}[{}]", target, loop_.index)
                                                : fmt::format("*{}", target));
    }
  }

  const std::string& name_for(const Pointer& pointer, const std::string& subscript,
                              const Linear& linear) {
    const auto known = std::find_if(hoisted_.begin(), hoisted_.end(), [&](const Hoisted& h) {
      return h.pointer == pointer.name && h.subscript == subscript;
    });
    if (known != hoisted_.end()) return known->name;
    std::string name = fmt::format("{}_{}", pointer.name, loop_.index);
    while (mentions(tree_, kernel_, name) ||
           std::find(taken_.begin(), taken_.end(), name) != taken_.end()) {
      name += "_";
    }
    taken_.push_back(name);
    const std::string type(pointer.declaration.field("type").text());
    declarations_.push_back(fmt::format("{}{}* {} = {}{};", pointer.constant ? "const " : "", type,
                                        name, pointer.name, sum_of(linear)));
    hoisted_.push_back({pointer.name, name, subscript, linear});
    return hoisted_.back().name;
  }

  std::string sum_of(const Linear& linear) const {
    std::string text = linear.base.empty() ? "" : fmt::format(" + ({})", linear.base);
    const bool from_zero = loop_.first.text() == "0";
    if (!linear.stride.empty() && !from_zero) {
      text += fmt::format(" + ({}) * {}", loop_.first.text(), linear.stride);
    }
    return text;
  }

  void finish(Edits& edits) {
    const std::size_t column = column_of(tree_, loop_.statement);
    for (std::size_t k = 0; k < hoisted_.size(); ++k) {
      edits.insert(loop_.statement.begin(), declarations_[k] + "\n" + std::string(column, ' '));
      const std::string& stride = hoisted_[k].linear.stride;
      if (stride.empty()) continue;
      const std::string by =
          loop_.step == "1" ? stride : fmt::format("({}) * {}", loop_.step, stride);
      edits.insert(loop_.statement.field("update").end(),
                   fmt::format(", {} += {}", hoisted_[k].name, by));
    }
  }

  const SourceTree& tree_;
  SyntaxNode kernel_;
  const CountedLoop& loop_;
  std::vector<std::string>& taken_;
  std::vector<Hoisted> hoisted_;
  std::vector<std::string> declarations_;
};

}  // namespace

std::optional<std::string> hoist_addresses(const Subject& subject, const SyntaxNode& kernel) {
  Edits edits;
  std::vector<std::string> taken;
  for (const CountedLoop& loop : counted_loops(subject.tree, kernel.field("body"))) {
    if (is_innermost(subject.tree, loop)) Hoisting(subject.tree, kernel, loop, taken).apply(edits);
  }
  return edits.empty() ? std::nullopt : std::optional(edits.apply(subject.tree.source()));
}

}  // namespace kp::propose

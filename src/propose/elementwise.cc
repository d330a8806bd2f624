// SPDX-License-Identifier: Apache-2.0
#include "propose/elementwise.h"

#include <algorithm>

#include "propose/statements.h"
namespace kp::propose {
namespace {

/// The operand on the other side of a comparison of `index`, if `condition` is that comparison
/// alone.
std::string bound_of(const SourceTree& tree, const SyntaxNode& condition, const std::string& index,
                     std::string_view with_index_left, std::string_view with_index_right) {
  SyntaxNode node = condition;
  while (node.type() == "condition_clause" || node.type() == "parenthesized_expression") {
    node = node.children().front();
  }
  if (node.type() != "binary_expression") return "";
  const SyntaxNode left = node.field("left"), right = node.field("right");
  const std::string_view sign = operator_of(node);
  if (left.text() == index && sign == with_index_left && !mentions(tree, right, index)) {
    return std::string(right.text());
  }
  if (right.text() == index && sign == with_index_right && !mentions(tree, left, index)) {
    return std::string(left.text());
  }
  return "";
}

void take_body(Elementwise& shape, std::vector<SyntaxNode> statements) {
  shape.body = std::move(statements);
  shape.body_begin = shape.body.front().begin();
  shape.body_end = shape.body.back().end();
}

/// `guard` at `position` of the kernel's statements: does it enclose or precede all the rest?
bool match_guard(const SourceTree& tree, const std::vector<SyntaxNode>& statements,
                 std::size_t position, Elementwise& shape) {
  const SyntaxNode guard = statements[position];
  if (guard.type() != "if_statement" || guard.field("alternative").valid()) return false;
  const SyntaxNode condition = guard.field("condition"), then = guard.field("consequence");
  shape.guard = guard;
  shape.bound = bound_of(tree, condition, shape.index.name, "<", ">");
  if (!shape.bound.empty() && position + 1 == statements.size()) {
    auto inner = then.type() == "compound_statement" ? then.children() : std::vector{then};
    if (inner.empty()) return false;
    take_body(shape, std::move(inner));
    return true;
  }
  shape.bound = bound_of(tree, condition, shape.index.name, ">=", "<=");
  if (shape.bound.empty() || !is_return(then) || position + 1 >= statements.size()) return false;
  take_body(shape,
            {statements.begin() + static_cast<std::ptrdiff_t>(position) + 1, statements.end()});
  return true;
}

bool leaves_function(const SourceTree& tree, const SyntaxNode& statement) {
  for (const std::string_view kind : {"return_statement", "goto_statement", "labeled_statement"}) {
    if (statement.type() == kind || !tree.all(statement, kind).empty()) return true;
  }
  return false;
}

}  // namespace

std::optional<Elementwise> match_elementwise(const SourceTree& tree, const SyntaxNode& kernel) {
  const SyntaxNode block = kernel.field("body");
  if (communicates(tree, block) || block.text().find("__shared__") != std::string_view::npos) {
    return std::nullopt;
  }
  const auto statements = block.children();
  for (const LocalVariable& local : initialised_locals(tree, block)) {
    if (thread_index_axis(local.value) != 'x') continue;
    Elementwise shape;
    shape.kernel = kernel;
    shape.index = local;
    for (std::size_t i = 0; i < statements.size(); ++i) {
      if (statements[i].begin() < local.declaration.end()) continue;
      if (!match_guard(tree, statements, i, shape)) continue;
      const bool jumps = std::any_of(shape.body.begin(), shape.body.end(),
                                     [&](const SyntaxNode& s) { return leaves_function(tree, s); });
      // What stands between index and guard would have to be repeated for each element.
      for (const SyntaxNode& between : statements) {
        const bool inside =
            between.begin() >= local.declaration.end() && between.end() <= shape.guard.begin();
        if (inside && mentions(tree, between, local.name)) return std::nullopt;
      }
      if (jumps) return std::nullopt;
      return shape;
    }
  }
  return std::nullopt;
}

}  // namespace kp::propose

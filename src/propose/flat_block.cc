// SPDX-License-Identifier: Apache-2.0
#include "propose/flat_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "propose/edit.h"
#include "propose/effects.h"
#include "propose/launches.h"
#include "propose/loops.h"
#include "propose/reduction.h"

namespace kp::propose {
namespace {

constexpr int kDeepestHeld = 8;  // of variables that hold variables

std::vector<const Launch*> launches_of(const Subject& subject, const SyntaxNode& function) {
  std::vector<const Launch*> found;
  const std::string_view name = name_of_kernel(function);
  for (const Step& step : subject.candidate.plan.steps) {
    const auto* launch = std::get_if<Launch>(&step);
    if (!launch) continue;
    for (const SyntaxNode& kernel : subject.tree.kernels()) {
      const bool runs = kernel == function || mentions(subject.tree, kernel.field("body"), name);
      if (name_of_kernel(kernel) == launch->kernel && runs) found.push_back(launch);
    }
  }
  return found;
}

SyntaxNode bare(const SyntaxNode& expression) {
  SyntaxNode node = without_parentheses(expression);
  while (node.type() == "cast_expression") node = without_parentheses(node.field("value"));
  return node;
}

bool stands_outside_function(const SourceTree& tree, const SyntaxNode& function,
                             const SyntaxNode& name) {
  return !declaration_of(tree, function, name.text()).valid();
}

/// The condition under which what follows `if (C) return;` runs.
std::string negated(const SyntaxNode& clause) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kOpposites{
      {{">=", "<"}, {">", "<="}, {"<", ">="}, {"<=", ">"}, {"==", "!="}, {"!=", "=="}}};
  const SyntaxNode test = without_parentheses(clause);
  if (test.type() == "binary_expression") {
    for (const auto& [op, opposite] : kOpposites) {
      if (operator_of(test) != op) continue;
      return fmt::format("{} {} {}", test.field("left").text(), opposite,
                         test.field("right").text());
    }
  }
  return fmt::format("!({})", test.text());
}

}  // namespace

std::optional<FlatBlock> FlatBlock::of(const Subject& subject, const SyntaxNode& function) {
  FlatBlock block(subject, function);
  block.whole_warps_ = true;
  for (const Launch* launch : launches_of(subject, function)) {
    if (!is_flat(*launch) || launch->cooperative) return std::nullopt;
    if (block.size_ && !(*block.size_ == launch->block.x)) return std::nullopt;
    block.size_ = launch->block.x;
    block.whole_warps_ =
        block.whole_warps_ && propose::has_whole_warps(subject.candidate.plan, *launch);
  }
  if (!block.size_) return std::nullopt;
  return block;
}

SyntaxNode FlatBlock::held_by(const SyntaxNode& name) const {
  if (!declared_once(*tree_, function_, name.text()) ||
      may_change(*tree_, function_.field("body"), name.text())) {
    return {};
  }
  for (const LocalVariable& local : initialised_locals(*tree_, function_)) {
    if (local.name == name.text()) return local.value;
  }
  return {};
}

SyntaxNode FlatBlock::resolved(const SyntaxNode& expression) const {
  SyntaxNode node = bare(expression);
  for (int depth = 0; depth < kDeepestHeld && node.type() == "identifier"; ++depth) {
    const SyntaxNode held = held_by(node);
    if (!held.valid()) break;
    node = bare(held);
  }
  return node;
}

bool FlatBlock::is_size(const SyntaxNode& expression) const {
  const SyntaxNode node = resolved(expression);
  if (squeezed(node.text()) == "blockDim.x" || node.text() == size_->text()) return true;
  const auto value = constant_integer(*tree_, expression, {});
  return value && value == literal(*size_);
}

bool FlatBlock::is_thread(const SyntaxNode& expression) const {
  return squeezed(resolved(expression).text()) == "threadIdx.x";
}

bool FlatBlock::is_grid_thread(const SyntaxNode& expression) const {
  const SyntaxNode sum = resolved(expression);
  if (sum.type() != "binary_expression" || operator_of(sum) != "+") return false;
  SyntaxNode product = bare(sum.field("left")), thread = sum.field("right");
  if (!is_thread(thread)) std::swap(product, thread);
  product = bare(product);
  if (!is_thread(thread) || product.type() != "binary_expression" || operator_of(product) != "*")
    return false;
  const SyntaxNode left = product.field("left"), right = product.field("right");
  const auto is_block = [this](const SyntaxNode& node) {
    return squeezed(resolved(node).text()) == "blockIdx.x";
  };
  return (is_block(left) && is_size(right)) || (is_block(right) && is_size(left));
}

std::string FlatBlock::size_in(const SyntaxNode& grid_thread) const {
  for (const SyntaxNode& name : tree_->all(grid_thread, "identifier")) {
    if (is_size(name)) return std::string(name.text());
  }
  for (const SyntaxNode& number : tree_->all(grid_thread, "number_literal")) {
    if (is_size(number)) return std::string(number.text());
  }
  return "blockDim.x";
}

bool FlatBlock::is_uniform(const SyntaxNode& expression) const { return is_uniform(expression, 0); }

bool FlatBlock::is_uniform(const SyntaxNode& expression, int depth) const {
  if (depth > kDeepestHeld || !is_invariant(*tree_, expression, function_.field("body")))
    return false;
  auto names = tree_->all(expression, "identifier");
  if (expression.type() == "identifier") names.push_back(expression);
  return std::all_of(names.begin(), names.end(), [&](const SyntaxNode& name) {
    if (name.text() == "threadIdx") return false;
    if (stands_outside_function(*tree_, function_, name)) return true;
    const SyntaxNode declaration = declaration_of(*tree_, function_, name.text());
    if (declaration.type().ends_with("parameter_declaration")) return true;
    const SyntaxNode held = held_by(name);
    return held.valid() && is_uniform(held, depth + 1);
  });
}

bool FlatBlock::depends_on_thread(const SyntaxNode& expression, int depth) const {
  auto names = tree_->all(expression, "identifier");
  if (expression.type() == "identifier") names.push_back(expression);
  return std::any_of(names.begin(), names.end(), [&](const SyntaxNode& name) {
    if (name.text() == "threadIdx") return true;
    const SyntaxNode held = depth < kDeepestHeld ? held_by(name) : SyntaxNode{};
    return held.valid() && depends_on_thread(held, depth + 1);
  });
}

bool FlatBlock::picks_threads(const SyntaxNode& condition) const {
  const SyntaxNode test = without_parentheses(condition);
  return test.type() == "binary_expression" && operator_of(test) == "==" &&
         depends_on_thread(test, 0);
}

bool enclose_returns(const SourceTree& tree, const SyntaxNode& kernel, Edits& edits) {
  const SyntaxNode body = kernel.field("body");
  for (const SyntaxNode& jump : tree.all(body, "return_statement")) {
    SyntaxNode branch = jump.parent();
    if (branch.type() == "compound_statement" && branch.children().size() == 1)
      branch = branch.parent();
    if (branch.type() != "if_statement" || branch.field("alternative").valid() ||
        !(branch.parent() == body)) {
      return false;
    }
    edits.replace(branch, fmt::format("if ({}) {{", negated(branch.field("condition"))));
    edits.insert(body.end() - 1, "  }\n");
  }
  return tree.all(body, "goto_statement").empty();
}

}  // namespace kp::propose

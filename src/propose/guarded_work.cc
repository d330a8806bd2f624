// SPDX-License-Identifier: Apache-2.0
#include "propose/guarded_work.h"

#include <fmt/format.h>

#include <algorithm>

#include "propose/effects.h"
#include "propose/launches.h"
#include "propose/reduction.h"
#include "propose/statements.h"

namespace kp::propose {
namespace {

/// The operand on the other side of `index LEFT n` or `n RIGHT index`.
SyntaxNode compared_with(const SourceTree& tree, const SyntaxNode& condition,
                         const std::string& index, std::string_view left_op,
                         std::string_view right_op) {
  const SyntaxNode test = without_parentheses(condition);
  if (test.type() != "binary_expression") return {};
  const SyntaxNode left = test.field("left"), right = test.field("right");
  const bool upright = left.text() == index && operator_of(test) == left_op;
  const bool mirrored = right.text() == index && operator_of(test) == right_op;
  const SyntaxNode bound = upright ? right : left;
  return (upright || mirrored) && !mentions(tree, bound, index) ? bound : SyntaxNode{};
}

/// Statements that the body's own scope holds; for a guard that returns, what follows it.
bool is_work(const GuardedWork& work, const SyntaxNode& node) {
  return lies_in(node, work.body) && (!work.returns || node.begin() >= work.guard.end());
}

bool jumps_out(const SourceTree& tree, const GuardedWork& work) {
  const auto returns = tree.all(work.kernel.field("body"), "return_statement");
  const std::size_t allowed = work.returns ? 1 : 0;
  return returns.size() != allowed ||
         !tree.all(work.kernel.field("body"), "goto_statement").empty();
}

bool reads_index_elsewhere(const SourceTree& tree, const GuardedWork& work) {
  const auto all = mentions_of(tree, work.kernel.field("body"), work.index.name);
  return std::any_of(all.begin(), all.end(), [&](const SyntaxNode& mention) {
    return !lies_in(mention, work.index.declaration) && !lies_in(mention, work.guard) &&
           !is_work(work, mention);
  });
}

bool calls_stay_alone(const SourceTree& tree, const GuardedWork& work) {
  for (const SyntaxNode& call : tree.all(work.body, "call_expression")) {
    const std::string_view callee = call.field("function").text();
    const bool atomic = callee.starts_with("atomic") || callee == "kp_matched_add";
    if (is_work(work, call) && !atomic && !is_pure(tree, call)) return false;
  }
  return true;
}

/// Every mention of the outer variable is part of an accumulation by one operation.
bool only_accumulates(const SourceTree& tree, const GuardedWork& work, const std::string& name) {
  std::optional<Combine> combine;
  int mentioned = 0;
  for (const std::string_view kind : {"expression_statement", "if_statement"}) {
    auto statements = tree.all(work.body, kind);
    if (work.body.type() == kind) statements.push_back(work.body);
    for (const SyntaxNode& statement : statements) {
      const auto one = match_accumulation(statement);
      if (!one || !is_work(work, statement) || one->target.text() != name) continue;
      if (combine && *combine != one->combine) return false;
      combine = one->combine;
      mentioned += one->mentions;
    }
  }
  const auto all = mentions_of(tree, work.body, name);
  return std::count_if(all.begin(), all.end(),
                       [&](const SyntaxNode& m) { return is_work(work, m); }) == mentioned;
}

/// What the assignment changes is memory behind a pointer, a variable of BODY, or an accumulator.
bool passes_nothing_on(const SourceTree& tree, const GuardedWork& work, SyntaxNode target) {
  const bool element = target.type() != "identifier";
  while (target.type() == "subscript_expression" || target.type() == "field_expression") {
    target = target.field("argument");
  }
  if (target.type() != "identifier") return false;
  const SyntaxNode declaration = declaration_of(tree, work.kernel, target.text());
  if (!declaration.valid()) return false;
  if (is_work(work, declaration)) return true;
  const bool pointer = !tree.all(declaration, "pointer_declarator").empty();
  const bool shared = work.kernel.text().find("__shared__") != std::string_view::npos;
  if (element) {
    return pointer && (!shared || declaration.type().ends_with("parameter_declaration"));
  }
  return only_accumulates(tree, work, std::string(target.text()));
}

}  // namespace

SyntaxNode bound_below(const SourceTree& tree, const SyntaxNode& condition,
                       const std::string& index) {
  return compared_with(tree, condition, index, "<", ">");
}

std::optional<GuardedWork> match_guarded_work(const SourceTree& tree, const SyntaxNode& kernel,
                                              const FlatBlock& block) {
  const SyntaxNode all = kernel.field("body");
  for (const LocalVariable& local : initialised_locals(tree, all)) {
    if (!(local.declaration.parent() == all) || !block.is_grid_thread(local.value)) continue;
    for (const SyntaxNode& guard : statements_of(all)) {
      if (guard.type() != "if_statement" || guard.field("alternative").valid()) continue;
      const SyntaxNode condition = guard.field("condition"), then = guard.field("consequence");
      GuardedWork work{kernel, local, guard, then, is_return(then), ""};
      if (work.returns) work.body = all;
      const SyntaxNode bound = work.returns ? compared_with(tree, condition, local.name, ">=", "<=")
                                            : bound_below(tree, condition, local.name);
      if (!bound.valid() || !block.is_uniform(bound) || may_change(tree, all, local.name)) continue;
      work.bound = bound.text();
      if (jumps_out(tree, work) || reads_index_elsewhere(tree, work)) continue;
      return work;
    }
  }
  return std::nullopt;
}

bool uses_block_in_index_alone(const SourceTree& tree, const SyntaxNode& kernel,
                               const LocalVariable& index) {
  const auto fields = tree.all(kernel.field("body"), "field_expression");
  return std::none_of(fields.begin(), fields.end(), [&](const SyntaxNode& field) {
    const bool block = field.text() == "blockIdx.x" || field.text() == "gridDim.x";
    return block && !lies_in(field, index.declaration);
  });
}

bool may_repeat(const SourceTree& tree, const GuardedWork& work) {
  if (!uses_block_in_index_alone(tree, work.kernel, work.index) || !calls_stay_alone(tree, work) ||
      !tree.all(work.body, "gnu_asm_expression").empty()) {
    return false;
  }
  for (const auto& [kind, field] :
       {std::pair("assignment_expression", "left"), std::pair("update_expression", "argument")}) {
    for (const SyntaxNode& change : tree.all(work.body, kind)) {
      if (is_work(work, change) && !passes_nothing_on(tree, work, change.field(field)))
        return false;
    }
  }
  return true;
}

std::string grid_stride_header(const LocalVariable& index, const std::string& bound,
                               const FlatBlock& block) {
  return fmt::format("for ({0} {1} = {2}; {1} < {3}; {1} += {4} * gridDim.x) ",
                     index.declaration.field("type").text(), index.name, index.value.text(), bound,
                     block.size_in(index.value));
}

void write_grid_stride(const SourceTree& tree, const GuardedWork& work, const FlatBlock& block,
                       Edits& edits) {
  const std::string header = grid_stride_header(work.index, work.bound, block);
  remove_declaration(tree, work.index.declaration, edits);
  if (!work.returns) {
    edits.replace(work.guard.begin(), work.body.begin(), header);
    return;
  }
  edits.replace(work.guard, header + "{");
  edits.insert(work.body.end() - 1, "  }\n");
}

void limit_grid(const Subject& subject, Plan& plan, std::string_view kernel) {
  const std::string blocks = add_tune(subject, plan, "BLOCKS", {1056, 528, 264, 2112});
  Launch* launch = only_launch(plan, kernel);
  launch->grid.x = joined(launch->grid.x, Expr::Op::kMin, named(blocks));
}

void remove_declaration(const SourceTree& tree, const SyntaxNode& declaration, Edits& edits) {
  const std::size_t next = tree.source().find_first_not_of(" \t\n", declaration.end());
  edits.replace(declaration.begin(), next, "");
}

}  // namespace kp::propose

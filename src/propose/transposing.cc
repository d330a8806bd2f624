// SPDX-License-Identifier: Apache-2.0
#include "propose/transposing.h"

#include <algorithm>

namespace kp::propose {
namespace {

/// `index` stands in the subscript as a summand of its own, and nowhere else: neighbours in `index`
/// are neighbours in memory.
bool runs_along(const SourceTree& tree, const SyntaxNode& subscript, std::string_view index) {
  const SyntaxNode list = subscript.children().back();
  if (list.children().size() != 1) return false;
  const SyntaxNode sum = list.children().front();
  if (sum.type() != "binary_expression") return false;
  const SyntaxNode left = sum.field("left"), right = sum.field("right");
  if (operator_of(sum) != "+") return false;
  return (left.text() == index && !mentions(tree, right, index)) ||
         (right.text() == index && !mentions(tree, left, index));
}

SyntaxNode only_statement(SyntaxNode node) {
  while (node.type() == "compound_statement" && node.children().size() == 1) {
    node = node.children().front();
  }
  return node;
}

bool find_indices(const SourceTree& tree, const SyntaxNode& body, Transposing& shape) {
  int found = 0;
  for (const LocalVariable& local : initialised_locals(tree, body)) {
    const char axis = thread_index_axis(local.value);
    if (axis == 'x') shape.along_x = local;
    if (axis == 'y') shape.along_y = local;
    found += axis != 0;
  }
  return found == 2 && !shape.along_x.name.empty() && !shape.along_y.name.empty();
}

/// The assignment that the guard leads to, if it leads to nothing else.
std::optional<SyntaxNode> guarded_assignment(const SyntaxNode& guard) {
  if (guard.type() != "if_statement" || guard.field("alternative").valid()) return std::nullopt;
  const SyntaxNode statement = only_statement(guard.field("consequence"));
  if (statement.type() != "expression_statement") return std::nullopt;
  const SyntaxNode assignment = statement.children().front();
  if (assignment.type() != "assignment_expression") return std::nullopt;
  if (operator_of(assignment) != "=") return std::nullopt;
  return assignment;
}

/// Takes load and store from the assignment; false unless the one runs along x and the other along
/// y, and the indices are used for nothing else.
bool take_access(const SourceTree& tree, const SyntaxNode& assignment, Transposing& shape) {
  const SyntaxNode store = assignment.field("left"), value = assignment.field("right");
  auto loads = tree.all(value, "subscript_expression");
  if (value.type() == "subscript_expression" && loads.empty()) loads.push_back(value);
  if (loads.size() != 1 || store.type() != "subscript_expression") return false;
  const SyntaxNode load = loads.front();
  shape.value = std::string(value.text());
  shape.load = std::string(load.text());
  shape.load_offset = load.begin() - value.begin();
  shape.store = std::string(store.text());
  for (const PointerParameter& pointer : pointer_parameters(tree, shape.kernel)) {
    if (load.children().front().text() == pointer.name) shape.element = pointer.element;
  }
  const std::string rest = shape.value_from("");
  return !shape.element.empty() && runs_along(tree, load, shape.along_x.name) &&
         runs_along(tree, store, shape.along_y.name) &&
         rest.find(shape.along_x.name) == std::string::npos &&
         rest.find(shape.along_y.name) == std::string::npos;
}

}  // namespace

std::string Transposing::value_from(std::string_view loaded) const {
  std::string text = value;
  return text.replace(load_offset, load.size(), loaded);
}

std::optional<Transposing> match_transposing(const SourceTree& tree, const SyntaxNode& kernel) {
  Transposing shape;
  shape.kernel = kernel;
  const SyntaxNode body = kernel.field("body");
  const auto statements = body.children();
  // Two index declarations and the guarded assignment, nothing else.
  if (statements.size() != 3 || !find_indices(tree, body, shape)) return std::nullopt;
  const SyntaxNode guard = statements.back();
  const auto assignment = guarded_assignment(guard);
  if (!assignment || !take_access(tree, *assignment, shape)) return std::nullopt;
  const std::string_view condition = guard.field("condition").text();
  shape.condition = std::string(condition.substr(1, condition.size() - 2));
  shape.begin = statements.front().begin();
  shape.end = guard.end();
  return shape;
}

}  // namespace kp::propose

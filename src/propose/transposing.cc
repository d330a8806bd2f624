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
  const std::string_view source = tree.source();
  if (squeezed(source.substr(left.end(), right.begin() - left.end())) != "+") return false;
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
  if (guard.type() != "if_statement" || guard.field("alternative").valid()) return std::nullopt;
  const SyntaxNode statement = only_statement(guard.field("consequence"));
  if (statement.type() != "expression_statement") return std::nullopt;
  const SyntaxNode assignment = statement.children().front();
  if (assignment.type() != "assignment_expression") return std::nullopt;
  const SyntaxNode store = assignment.field("left"), value = assignment.field("right");
  const std::string_view source = tree.source();
  if (squeezed(source.substr(store.end(), value.begin() - store.end())) != "=") return std::nullopt;
  auto loads = tree.all(value, "subscript_expression");
  if (value.type() == "subscript_expression" && loads.empty()) loads.push_back(value);
  if (loads.size() != 1 || store.type() != "subscript_expression") return std::nullopt;
  const SyntaxNode load = loads.front();
  if (!runs_along(tree, load, shape.along_x.name) || !runs_along(tree, store, shape.along_y.name)) {
    return std::nullopt;
  }
  shape.value = std::string(value.text());
  shape.load = std::string(load.text());
  shape.load_offset = load.begin() - value.begin();
  shape.store = std::string(store.text());
  for (const LocalVariable* index : {&shape.along_x, &shape.along_y}) {
    // The value may use the indices only inside the load.
    if (shape.value_from("").find(index->name) != std::string::npos) return std::nullopt;
  }
  for (const PointerParameter& pointer : pointer_parameters(tree, kernel)) {
    if (load.children().front().text() == pointer.name) shape.element = pointer.element;
  }
  if (shape.element.empty()) return std::nullopt;
  const SyntaxNode condition = guard.field("condition");
  shape.condition = std::string(condition.text().substr(1, condition.text().size() - 2));
  shape.begin = statements.front().begin();
  shape.end = guard.end();
  return shape;
}

}  // namespace kp::propose

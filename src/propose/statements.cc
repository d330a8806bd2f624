// SPDX-License-Identifier: Apache-2.0
#include "propose/statements.h"

namespace kp::propose {

std::vector<SyntaxNode> statements_of(const SyntaxNode& statement) {
  if (statement.type() != "compound_statement") return {statement};
  auto statements = statement.children();
  std::erase_if(statements, [](const SyntaxNode& s) { return s.type() == "comment"; });
  return statements;
}

bool lies_in(const SyntaxNode& inner, const SyntaxNode& outer) {
  return inner.begin() >= outer.begin() && inner.end() <= outer.end();
}

std::size_t column_of(const SourceTree& tree, const SyntaxNode& node) {
  return node.begin() - (tree.source().rfind('\n', node.begin()) + 1);
}

std::size_t indentation(const SourceTree& tree, const SyntaxNode& node) {
  const std::size_t line = node.begin() - column_of(tree, node);
  return tree.source().find_first_not_of(' ', line) - line;
}

bool is_return(const SyntaxNode& statement) {
  if (statement.type() == "return_statement") return statement.children().empty();
  if (statement.type() != "compound_statement") return false;
  const auto inner = statements_of(statement);
  return inner.size() == 1 && is_return(inner.front());
}

bool is_block_barrier(const SyntaxNode& statement) {
  return squeezed(statement.text()) == "__syncthreads();";
}

}  // namespace kp::propose

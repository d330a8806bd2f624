// SPDX-License-Identifier: Apache-2.0
#include "draft/host_syntax.h"

namespace kp::draft {

SyntaxNode first_of(const SyntaxNode& node) {
  const auto children = node.children();
  return children.empty() ? SyntaxNode{} : children.front();
}

SyntaxNode last_of(const SyntaxNode& node) {
  const auto children = node.children();
  return children.empty() ? SyntaxNode{} : children.back();
}

std::string pointer_name(const SyntaxNode& expression) {
  if (expression.type() == "identifier") return std::string(expression.text());
  if (expression.type() == "call_expression") {
    const auto arguments = expression.field("arguments").children();
    const SyntaxNode callee = expression.field("function");
    return arguments.empty() ? pointer_name(callee) : pointer_name(arguments.front());
  }
  for (const char* part : {"argument", "value"}) {
    if (const SyntaxNode inner = expression.field(part); inner.valid()) return pointer_name(inner);
  }
  return "";
}

}  // namespace kp::draft

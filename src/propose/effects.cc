// SPDX-License-Identifier: Apache-2.0
#include "propose/effects.h"

#include <algorithm>

#include "propose/statements.h"

namespace kp::propose {
namespace {

/// Whether the text assigns or steps something; comparisons do not.
bool assigns(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char before = i > 0 ? text[i - 1] : ' ', after = i + 1 < text.size() ? text[i + 1] : ' ';
    if ((text[i] == '+' || text[i] == '-') && after == text[i]) return true;
    if (text[i] != '=') continue;
    const bool shift = i > 1 && text[i - 2] == before;  // <<= and >>=
    const bool compares = after == '=' || before == '=' || before == '!' ||
                          ((before == '<' || before == '>') && !shift);
    if (!compares) return true;
  }
  return false;
}

/// Whether the lvalue is the variable itself, a member of it, or an element of it as an array.
bool is_part_of(SyntaxNode lvalue, const SyntaxNode& name) {
  while (lvalue.valid() && !(lvalue == name)) {
    const bool member =
        lvalue.type() == "field_expression" || lvalue.type() == "subscript_expression";
    if (member)
      lvalue = lvalue.field("argument");
    else if (lvalue.type() == "parenthesized_expression")
      lvalue = without_parentheses(lvalue);
    else
      return false;
  }
  return lvalue.valid();
}

/// Whether the mention itself is where the variable changes.
bool changes_here(const SourceTree& tree, const SyntaxNode& scope, const SyntaxNode& mention) {
  for (SyntaxNode node = mention; node.valid() && lies_in(node, scope); node = node.parent()) {
    const std::string_view type = node.type();
    if (type == "assignment_expression" && is_part_of(node.field("left"), mention)) return true;
    if (type == "update_expression" && is_part_of(node.field("argument"), mention)) return true;
    if (type == "pointer_expression" && node.field("operator").text() == "&" &&
        is_part_of(node.field("argument"), mention)) {
      return true;
    }
    if (type == "gnu_asm_expression" || type == "lambda_expression") return true;
    if (type == "init_declarator" && node.field("declarator").type() == "reference_declarator") {
      return true;
    }
    if (type == "call_expression" && lies_in(mention, node.field("arguments")) &&
        takes_references(tree, node.field("function").text())) {
      return true;
    }
  }
  return false;
}

/// Whether the mention declares the variable: the name in a declarator or in `type name;`.
bool declares(const SyntaxNode& mention) {
  const SyntaxNode above = mention.parent();
  const std::string_view type = above.type();
  if (type == "declaration" || type == "parameter_declaration") return true;
  if (type == "array_declarator" || type == "init_declarator")
    return above.field("declarator") == mention;
  return type == "pointer_declarator" || type == "reference_declarator" ||
         type == "optional_parameter_declaration";
}

}  // namespace

bool assigns_by_macro(const SourceTree& tree, const SyntaxNode& scope) {
  for (const std::string_view kind : {"preproc_def", "preproc_function_def"}) {
    for (const SyntaxNode& definition : tree.all(tree.root(), kind)) {
      if (assigns(definition.field("value").text()) &&
          mentions(tree, scope, definition.field("name").text())) {
        return true;
      }
    }
  }
  return false;
}

bool takes_references(const SourceTree& tree, std::string_view callee) {
  for (const SyntaxNode& function : tree.all(tree.root(), "function_definition")) {
    if (name_of_kernel(function) != callee) continue;
    const SyntaxNode parameters = function.field("declarator").field("parameters");
    if (!tree.all(parameters, "reference_declarator").empty()) return true;
  }
  return false;
}

std::vector<SyntaxNode> mentions_of(const SourceTree& tree, const SyntaxNode& scope,
                                    std::string_view name) {
  if (scope.type() == "identifier") {
    return scope.text() == name ? std::vector{scope} : std::vector<SyntaxNode>{};
  }
  auto found = tree.all(scope, "identifier");
  std::erase_if(found, [name](const SyntaxNode& node) { return node.text() != name; });
  return found;
}

bool may_change(const SourceTree& tree, const SyntaxNode& scope, std::string_view name) {
  if (assigns_by_macro(tree, scope) || !tree.all(scope, "ERROR").empty()) return true;
  // A lambda that captures everything by reference need not name what it changes.
  if (scope.text().find("[&]") != std::string_view::npos) return true;
  const auto found = mentions_of(tree, scope, name);
  return std::any_of(found.begin(), found.end(),
                     [&](const SyntaxNode& mention) { return changes_here(tree, scope, mention); });
}

bool is_invariant(const SourceTree& tree, const SyntaxNode& expression, const SyntaxNode& scope) {
  if (!is_pure(tree, expression)) return false;
  for (const std::string_view kind :
       {"subscript_expression", "pointer_expression", "call_expression"}) {
    if (expression.type() == kind || !tree.all(expression, kind).empty()) return false;
  }
  auto names = tree.all(expression, "identifier");
  if (expression.type() == "identifier") names.push_back(expression);
  return std::none_of(names.begin(), names.end(),
                      [&](const SyntaxNode& name) { return may_change(tree, scope, name.text()); });
}

SyntaxNode declaration_of(const SourceTree& tree, const SyntaxNode& scope, std::string_view name) {
  for (SyntaxNode mention : mentions_of(tree, scope, name)) {
    if (!declares(mention)) continue;
    while (mention.type() != "declaration" && !mention.type().ends_with("parameter_declaration")) {
      mention = mention.parent();
    }
    return mention;
  }
  return {};
}

bool declared_once(const SourceTree& tree, const SyntaxNode& scope, std::string_view name) {
  const auto found = mentions_of(tree, scope, name);
  return std::count_if(found.begin(), found.end(), declares) == 1;
}

SyntaxNode function_of(const SourceTree& tree, std::string_view name) {
  SyntaxNode found;
  for (const SyntaxNode& function : tree.all(tree.root(), "function_definition")) {
    if (name_of_kernel(function) != name) continue;
    if (found.valid()) return {};
    found = function;
  }
  return found;
}

SyntaxNode function_around(const SyntaxNode& node) {
  SyntaxNode around = node;
  while (around.valid() && around.type() != "function_definition") around = around.parent();
  return around;
}

SyntaxNode without_parentheses(SyntaxNode node) {
  while (node.type() == "parenthesized_expression" || node.type() == "condition_clause") {
    const auto inner = node.children();
    if (inner.size() != 1) return node;
    node = inner.front();
  }
  return node;
}

}  // namespace kp::propose

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "propose/syntax.h"

namespace kp::propose {
namespace {

constexpr std::array<std::string_view, 25> kFloatFunctions{
    "expf",      "exp2f",  "logf",         "log2f",           "sqrtf",  "rsqrtf", "sinf",
    "cosf",      "tanhf",  "powf",         "fabsf",           "fmaxf",  "fminf",  "fmaf",
    "__expf",    "__logf", "__sinf",       "__cosf",          "__powf", "__ldg",  "__fdividef",
    "__frcp_rn", "erff",   "__half2float", "__bfloat162float"};

bool is_float_literal(std::string_view text) {
  return !text.starts_with("0x") && (text.back() == 'f' || text.back() == 'F');
}

/// The type that a local variable, parameter or shared array called `name` was declared with.
std::string_view declared_type(const SourceTree& tree, const SyntaxNode& kernel,
                               std::string_view name) {
  for (const std::string_view kind : {"declaration", "parameter_declaration"}) {
    for (const SyntaxNode& declaration : tree.all(kernel, kind)) {
      for (const SyntaxNode& id : tree.all(declaration, "identifier")) {
        const bool declares =
            id.parent().type().ends_with("declarator") || id.parent() == declaration;
        const bool is_value =
            id.parent().type() == "init_declarator" && !(id == id.parent().field("declarator"));
        if (id.text() == name && declares && !is_value) return declaration.field("type").text();
      }
    }
  }
  return "";
}

}  // namespace

bool is_float(const SourceTree& tree, const SyntaxNode& kernel, const SyntaxNode& node) {
  const std::string_view type = node.type();
  if (type == "number_literal") return is_float_literal(node.text());
  if (type == "identifier") return declared_type(tree, kernel, node.text()) == "float";
  if (type == "subscript_expression") {
    return declared_type(tree, kernel, array_of(node).text()) == "float";
  }
  if (type == "call_expression") {
    const std::string_view callee = node.field("function").text();
    return callee == "float" || callee == "static_cast<float>" ||
           std::find(kFloatFunctions.begin(), kFloatFunctions.end(), callee) !=
               kFloatFunctions.end();
  }
  if (type == "cast_expression") return node.field("type").text() == "float";
  if (type == "parenthesized_expression" || type == "unary_expression") {
    return is_float(tree, kernel, node.children().back());
  }
  if (type != "binary_expression") return false;
  const SyntaxNode left = node.field("left"), right = node.field("right");
  const auto is_double = [](const SyntaxNode& operand) {
    return operand.type() == "number_literal" && !is_float_literal(operand.text()) &&
           operand.text().find('.') != std::string_view::npos;
  };
  if (is_double(left) || is_double(right)) return false;
  return is_float(tree, kernel, left) || is_float(tree, kernel, right);
}

}  // namespace kp::propose

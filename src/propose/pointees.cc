// SPDX-License-Identifier: Apache-2.0
#include "propose/pointees.h"

#include <algorithm>
#include <array>

#include "propose/effects.h"

namespace kp::propose {
namespace {

constexpr int kDeepestPointer = 8;

/// Loads through a pointer that it takes by value.
constexpr std::array<std::string_view, 6> kLoads{"__ldg",  "__ldca", "__ldcg",
                                                 "__ldcs", "__ldlu", "__ldcv"};

bool has_word(const SyntaxNode& declaration, std::string_view word) {
  const auto parts = declaration.children();
  return std::any_of(parts.begin(), parts.end(),
                     [word](const SyntaxNode& part) { return part.text() == word; });
}

/// The parameter of `function` at `position`.
SyntaxNode parameter_at(const SyntaxNode& function, std::size_t position) {
  auto parameters = function.field("declarator").field("parameters").children();
  std::erase_if(parameters, [](const SyntaxNode& p) { return p.type() == "comment"; });
  return position < parameters.size() ? parameters[position] : SyntaxNode{};
}

std::size_t position_of(const SyntaxNode& call, const SyntaxNode& argument) {
  auto arguments = call.field("arguments").children();
  std::erase_if(arguments, [](const SyntaxNode& a) { return a.type() == "comment"; });
  return static_cast<std::size_t>(std::find(arguments.begin(), arguments.end(), argument) -
                                  arguments.begin());
}

/// A function whose signature may change: one definition, no prototype, no template.
SyntaxNode changeable_function(const SourceTree& tree, std::string_view name) {
  const SyntaxNode function = function_of(tree, name);
  if (!function.valid() || function.parent().type() == "template_declaration") return {};
  for (const SyntaxNode& declarator : tree.all(tree.root(), "function_declarator")) {
    if (declarator.field("declarator").text() == name && !(declarator.parent() == function))
      return {};
  }
  return function;
}

/// Follows pointers from use to use. Each method says whether nothing is written on this way.
class Reads {
 public:
  explicit Reads(const SourceTree& tree) : tree_(tree) {}

  bool only_read(const SyntaxNode& function, const std::string& name, int depth) {
    if (depth > kDeepestPointer || !declared_once(tree_, function, name)) return false;
    const SyntaxNode declaration = declaration_of(tree_, function, name);
    if (std::find(seen_.begin(), seen_.end(), declaration) != seen_.end()) return true;
    seen_.push_back(declaration);
    if (!declaration.text().starts_with("auto")) {
      const auto pointer = read_pointer(tree_, declaration);
      if (!pointer) return false;
      if (!pointer->constant) to_change_.push_back(*pointer);
    }
    for (const SyntaxNode& mention : mentions_of(tree_, function.field("body"), name)) {
      const SyntaxNode above = mention.parent();
      const bool declares = above.field("declarator") == mention || above == declaration ||
                            above.type() == "pointer_declarator";
      if (!declares && !pointer_is_read(function, mention, depth)) return false;
    }
    return true;
  }

  std::vector<Pointer> take() { return std::move(to_change_); }

 private:
  /// `node` is an expression whose value is derived from the pointer.
  bool pointer_is_read(const SyntaxNode& function, const SyntaxNode& node, int depth) {
    const SyntaxNode above = node.parent();
    const std::string_view type = above.type();
    if (type == "parenthesized_expression") return pointer_is_read(function, above, depth);
    if (type == "subscript_expression") {
      return above.field("argument") == node && element_is_read(function, above, depth);
    }
    if (type == "pointer_expression") {
      return above.field("operator").text() == "*" && element_is_read(function, above, depth);
    }
    if (type == "field_expression") return element_is_read(function, above, depth);
    if (type == "binary_expression") {
      const std::string_view sign = above.field("operator").text();
      if (sign == "==" || sign == "!=") return true;
      return (sign == "+" || sign == "-") && pointer_is_read(function, above, depth);
    }
    if (type == "update_expression") return pointer_is_read(function, above, depth);
    if (type == "assignment_expression") return step_is_read(above, node);
    if (type == "expression_statement" || type == "comma_expression" || type == "for_statement") {
      return true;
    }
    if (type == "cast_expression") return above.field("type").text().starts_with("const ");
    if (type == "init_declarator") {
      const SyntaxNode copy = without_star(above.field("declarator"));
      return copy.type() == "identifier" &&
             only_read(function, std::string(copy.text()), depth + 1);
    }
    return type == "argument_list" && argument_is_read(above.parent(), node, depth);
  }

  /// The address modulo something: nobody makes a pointer of that again.
  static bool is_alignment_test(const SyntaxNode& cast) {
    if (cast.text().find('*') < cast.text().find('>')) return false;
    const std::string_view sign = cast.parent().field("operator").text();
    return cast.parent().type() == "binary_expression" && (sign == "%" || sign == "&");
  }

  /// `p += n`: the pointer moves within what it points to.
  static bool step_is_read(const SyntaxNode& assignment, const SyntaxNode& node) {
    const std::string_view sign = assignment.field("operator").text();
    return assignment.field("left") == node && (sign == "+=" || sign == "-=") &&
           assignment.parent().type() != "argument_list";
  }

  bool argument_is_read(const SyntaxNode& call, const SyntaxNode& argument, int depth) {
    const SyntaxNode callee = call.field("function");
    if (callee.type() == "template_function") {
      return callee.text().starts_with("reinterpret_cast<const ") ||
             callee.text().starts_with("static_cast<const ") || is_alignment_test(call);
    }
    if (std::find(kLoads.begin(), kLoads.end(), callee.text()) != kLoads.end()) return true;
    const SyntaxNode function = function_of(tree_, callee.text());
    if (!function.valid()) return false;
    const SyntaxNode parameter = parameter_at(function, position_of(call, argument));
    const auto pointer = read_pointer(tree_, parameter);
    if (!pointer) return false;
    if (pointer->constant) return true;
    return changeable_function(tree_, callee.text()).valid() &&
           only_read(function, pointer->name, depth + 1);
  }

  /// `node` is an lvalue behind the pointer.
  bool element_is_read(const SyntaxNode& function, const SyntaxNode& node, int depth) {
    const SyntaxNode above = node.parent();
    const std::string_view type = above.type();
    if (type == "parenthesized_expression") return element_is_read(function, above, depth);
    if (type == "field_expression") return element_is_read(function, above, depth);
    if (type == "subscript_expression" && above.field("argument") == node) {
      return element_is_read(function, above, depth);
    }
    if (type == "assignment_expression") return !(above.field("left") == node);
    if (type == "update_expression" || type == "conditional_expression") {
      return type == "conditional_expression" && is_value(above);
    }
    if (type == "pointer_expression" && above.field("operator").text() == "&") {
      return pointer_is_read(function, above, depth);
    }
    if (type == "init_declarator") {
      const bool reference = above.field("declarator").type() == "reference_declarator";
      return !reference || has_word(above.parent(), "const");
    }
    if (type == "argument_list" && above.parent().type() == "call_expression") {
      return value_is_read(above.parent(), node);
    }
    return type != "gnu_asm_output_operand" && type != "lambda_expression";
  }

  /// A conditional expression whose lvalue nobody takes.
  static bool is_value(const SyntaxNode& conditional) {
    SyntaxNode node = conditional.parent();
    while (node.type() == "parenthesized_expression") node = node.parent();
    return node.type() != "assignment_expression" && node.type() != "pointer_expression" &&
           node.type() != "update_expression" && node.type() != "argument_list";
  }

  /// An element passed to a function that takes it by value.
  bool value_is_read(const SyntaxNode& call, const SyntaxNode& argument) {
    const SyntaxNode callee = call.field("function");
    if (callee.type() != "identifier")
      return callee.type() == "primitive_type" || callee.text().starts_with("static_cast<");
    for (const SyntaxNode& function : tree_.all(tree_.root(), "function_definition")) {
      if (name_of_kernel(function) != callee.text()) continue;
      const SyntaxNode parameter = parameter_at(function, position_of(call, argument));
      if (parameter.field("declarator").type() == "reference_declarator" &&
          !has_word(parameter, "const")) {
        return false;
      }
    }
    return true;
  }

  static SyntaxNode without_star(const SyntaxNode& declarator) {
    if (declarator.type() != "pointer_declarator") return declarator;
    return declarator.field("declarator");
  }

  const SourceTree& tree_;
  std::vector<SyntaxNode> seen_;
  std::vector<Pointer> to_change_;
};

}  // namespace

std::optional<Pointer> read_pointer(const SourceTree& tree, const SyntaxNode& declaration) {
  SyntaxNode declarator = declaration.field("declarator");
  if (declarator.type() == "init_declarator") declarator = declarator.field("declarator");
  if (declarator.type() != "pointer_declarator" || has_word(declaration, "volatile")) {
    return std::nullopt;
  }
  if (tree.all(declaration, "pointer_declarator").size() != 1) return std::nullopt;
  const SyntaxNode name = declarator.field("declarator");
  if (name.type() != "identifier" || has_word(declarator, "volatile")) return std::nullopt;
  Pointer pointer{std::string(name.text()), declaration, declarator, has_word(declaration, "const"),
                  has_word(declarator, "__restrict__") || has_word(declarator, "__restrict")};
  return pointer;
}

std::optional<std::vector<Pointer>> pointers_if_only_read(const SourceTree& tree,
                                                          const SyntaxNode& function,
                                                          const std::string& name) {
  if (!tree.all(function, "ERROR").empty()) return std::nullopt;
  Reads reads(tree);
  if (!reads.only_read(function, name, 0)) return std::nullopt;
  return reads.take();
}

}  // namespace kp::propose

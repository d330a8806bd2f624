// SPDX-License-Identifier: Apache-2.0
#include "propose/reduction.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "propose/effects.h"

namespace kp::propose {
namespace {

struct Spelling {
  std::string_view text;
  Combine combine;
};
constexpr std::array<Spelling, 5> kOperators{{{"+", Combine::kAdd},
                                              {"-", Combine::kAdd},
                                              {"&", Combine::kAnd},
                                              {"|", Combine::kOr},
                                              {"^", Combine::kXor}}};
constexpr std::array<Spelling, 8> kFunctions{{{"fmaxf", Combine::kMax},
                                              {"fmax", Combine::kMax},
                                              {"max", Combine::kMax},
                                              {"fminf", Combine::kMin},
                                              {"fmin", Combine::kMin},
                                              {"min", Combine::kMin},
                                              {"fmaf", Combine::kAdd},
                                              {"fma", Combine::kAdd}}};

template <std::size_t size>
std::optional<Combine> look_up(const std::array<Spelling, size>& list, std::string_view text) {
  const auto found =
      std::find_if(list.begin(), list.end(), [text](const Spelling& s) { return s.text == text; });
  return found == list.end() ? std::nullopt : std::optional(found->combine);
}

bool is_accumulator(const SyntaxNode& node) {
  return node.type() == "identifier" || node.type() == "subscript_expression";
}

/// x op= v
std::optional<Accumulation> match_compound(const SyntaxNode& target, std::string_view op,
                                           const SyntaxNode& value) {
  const auto combine = look_up(kOperators, op.substr(0, op.size() - 1));
  if (!combine || op.size() != 2) return std::nullopt;
  const bool minus = op == "-=";
  return Accumulation{*combine, target, minus ? std::nullopt : std::optional(value), 1};
}

/// x = x op v, x = v op x; x = x - v
std::optional<Accumulation> match_binary(const SyntaxNode& target, const SyntaxNode& value) {
  const auto combine = look_up(kOperators, operator_of(value));
  const SyntaxNode left = value.field("left"), right = value.field("right");
  if (!combine) return std::nullopt;
  const bool minus = operator_of(value) == "-";
  if (same_text(left, target)) {
    return Accumulation{*combine, target, minus ? std::nullopt : std::optional(right), 2};
  }
  if (!same_text(right, target) || minus) return std::nullopt;
  return Accumulation{*combine, target, left, 2};
}

/// x = fmaxf(x, v), x = fmaf(a, b, x)
std::optional<Accumulation> match_call(const SyntaxNode& target, const SyntaxNode& call) {
  const auto combine = look_up(kFunctions, call.field("function").text());
  const auto arguments = call.field("arguments").children();
  if (!combine) return std::nullopt;
  if (*combine == Combine::kAdd) {
    if (arguments.size() != 3 || !same_text(arguments[2], target)) return std::nullopt;
    return Accumulation{*combine, target, std::nullopt, 2};
  }
  if (arguments.size() != 2) return std::nullopt;
  if (same_text(arguments[0], target)) return Accumulation{*combine, target, arguments[1], 2};
  if (same_text(arguments[1], target)) return Accumulation{*combine, target, arguments[0], 2};
  return std::nullopt;
}

/// Whether `condition` being true means that `larger` is the larger, or smaller, of the two.
std::optional<Combine> chosen_by(const SyntaxNode& condition, const SyntaxNode& chosen,
                                 const SyntaxNode& other) {
  const SyntaxNode test = without_parentheses(condition);
  const std::string_view op = operator_of(test);
  const bool greater = op == ">" || op == ">=", less = op == "<" || op == "<=";
  if (test.type() != "binary_expression" || (!greater && !less)) return std::nullopt;
  const SyntaxNode left = test.field("left"), right = test.field("right");
  if (same_text(left, chosen) && same_text(right, other)) {
    return greater ? Combine::kMax : Combine::kMin;
  }
  if (same_text(left, other) && same_text(right, chosen)) {
    return greater ? Combine::kMin : Combine::kMax;
  }
  return std::nullopt;
}

/// x = x > v ? x : v
std::optional<Accumulation> match_choice(const SyntaxNode& target, const SyntaxNode& choice) {
  const SyntaxNode then = choice.field("consequence"), other = choice.field("alternative");
  const auto combine = chosen_by(choice.field("condition"), then, other);
  if (!combine || same_text(then, other)) return std::nullopt;
  if (same_text(then, target)) return Accumulation{*combine, target, other, 3};
  if (same_text(other, target)) return Accumulation{*combine, target, then, 3};
  return std::nullopt;
}

std::optional<Accumulation> match_assignment(const SyntaxNode& assignment) {
  const SyntaxNode target = assignment.field("left");
  const SyntaxNode value = without_parentheses(assignment.field("right"));
  if (!is_accumulator(target)) return std::nullopt;
  const std::string_view op = operator_of(assignment);
  if (op != "=") return match_compound(target, op, value);
  if (value.type() == "binary_expression") return match_binary(target, value);
  if (value.type() == "call_expression") return match_call(target, value);
  if (value.type() == "conditional_expression") return match_choice(target, value);
  return std::nullopt;
}

/// if (v > x) x = v;
std::optional<Accumulation> match_if(const SyntaxNode& statement) {
  SyntaxNode then = statement.field("consequence");
  if (then.type() == "compound_statement" && then.children().size() == 1) {
    then = then.children().front();
  }
  if (statement.field("alternative").valid() || then.type() != "expression_statement" ||
      then.children().size() != 1) {
    return std::nullopt;
  }
  const SyntaxNode assignment = then.children().front();
  if (assignment.type() != "assignment_expression" || operator_of(assignment) != "=") {
    return std::nullopt;
  }
  const SyntaxNode target = assignment.field("left"), value = assignment.field("right");
  const auto combine = chosen_by(statement.field("condition"), value, target);
  if (!combine || !is_accumulator(target)) return std::nullopt;
  return Accumulation{*combine, target, value, 2};
}

}  // namespace

std::optional<Accumulation> match_accumulation(const SyntaxNode& statement) {
  if (statement.type() == "if_statement") return match_if(statement);
  if (statement.type() != "expression_statement" || statement.children().size() != 1) {
    return std::nullopt;
  }
  const SyntaxNode expression = statement.children().front();
  if (expression.type() == "assignment_expression") return match_assignment(expression);
  if (expression.type() != "update_expression" || !is_accumulator(expression.field("argument"))) {
    return std::nullopt;
  }
  return Accumulation{Combine::kAdd, expression.field("argument"), std::nullopt, 1};
}

std::string_view name_of(Combine combine) {
  constexpr std::array<std::string_view, 6> kNames{"add", "max", "min", "and", "or", "xor"};
  return kNames[static_cast<std::size_t>(combine)];
}

bool is_idempotent(Combine combine) { return combine != Combine::kAdd && combine != Combine::kXor; }

std::string combined(Combine combine, std::string_view left, std::string_view right) {
  switch (combine) {
    case Combine::kAdd:
      return fmt::format("{} + {}", left, right);
    case Combine::kAnd:
      return fmt::format("{} & {}", left, right);
    case Combine::kOr:
      return fmt::format("{} | {}", left, right);
    case Combine::kXor:
      return fmt::format("{} ^ {}", left, right);
    default:
      return fmt::format("{}({}, {})", name_of(combine), left, right);
  }
}

std::optional<std::string> identity_of(Combine combine, std::string_view type) {
  const bool is_signed = type == "int", is_unsigned = type == "unsigned" || type == "unsigned int";
  switch (combine) {
    case Combine::kAnd:
      return "~0";
    case Combine::kMax:
      if (is_unsigned) return "0";
      return is_signed ? std::optional<std::string>("-2147483647 - 1") : std::nullopt;
    case Combine::kMin:
      if (is_unsigned) return "0xffffffff";
      return is_signed ? std::optional<std::string>("2147483647") : std::nullopt;
    default:
      return "0";
  }
}

bool same_text(const SyntaxNode& one, const SyntaxNode& other) {
  return squeezed(without_parentheses(one).text()) == squeezed(without_parentheses(other).text());
}

}  // namespace kp::propose

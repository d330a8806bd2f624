// SPDX-License-Identifier: Apache-2.0
#include "package/arithmetic.h"

#include <fmt/format.h>

#include <limits>
#include <optional>

#include "package/names.h"

namespace kp::package {
namespace {

using Op = Expr::Op;

/// Part of an expression: a number as long as it has no name in it.
struct Part {
  std::string text;
  std::optional<std::int64_t> number;
  bool primary = true;  // needs no brackets
};

std::string number_text(std::int64_t value) {
  if (value == std::numeric_limits<std::int64_t>::min()) return "(-9223372036854775807 - 1)";
  return value < 0 ? fmt::format("({})", value) : std::to_string(value);
}

std::string bracketed(const Part& part) { return part.primary ? part.text : "(" + part.text + ")"; }

const char* sign_of(Op op, Language language) {
  const bool python = language == Language::kPython;
  switch (op) {
    case Op::kAdd:
      return "+";
    case Op::kSubtract:
      return "-";
    case Op::kMultiply:
      return "*";
    case Op::kDivide:
      return python ? "//" : "/";
    case Op::kModulo:
      return "%";
    case Op::kLess:
      return "<";
    case Op::kLessEqual:
      return "<=";
    case Op::kGreater:
      return ">";
    case Op::kGreaterEqual:
      return ">=";
    case Op::kEqual:
      return "==";
    case Op::kNotEqual:
      return "!=";
    case Op::kAnd:
      return python ? "and" : "&&";
    case Op::kOr:
      return python ? "or" : "||";
    default:
      return "";
  }
}

class Writer {
 public:
  Writer(const Expr& expr, const Bindings& known, Language language)
      : expr_(expr), known_(known), language_(language) {}

  Result<std::string> write() {
    for (const Expr::Step& step : expr_.postfix()) KP_TRY_VOID(push(step));
    return parts_.back().text;
  }

 private:
  Result<void> push(const Expr::Step& step) {
    if (step.op == Op::kLiteral) return number(step.value);
    if (step.op == Op::kName) {
      const auto value = known_.find(step.name);
      if (value != known_.end()) return number(value->second);
      parts_.push_back({identifier_of(step.name), std::nullopt, true});
      return {};
    }
    const bool unary = step.op == Op::kNegate || step.op == Op::kNot;
    const Part right = pop();
    const Part left = unary ? right : pop();
    if (left.number && right.number) return fold(step.op, *left.number, *right.number, unary);
    parts_.push_back(unary ? sign(step.op, right) : pair(step.op, left, right));
    return {};
  }

  Part pop() {
    Part part = std::move(parts_.back());
    parts_.pop_back();
    return part;
  }

  Result<void> number(std::int64_t value) {
    parts_.push_back({number_text(value), value, true});
    return {};
  }

  Result<void> fold(Op op, std::int64_t left, std::int64_t right, bool unary) {
    std::vector<Expr::Step> steps{{Op::kLiteral, left, {}}};
    if (!unary) steps.push_back({Op::kLiteral, right, {}});
    steps.push_back({op, 0, {}});
    KP_TRY(const std::int64_t value, Expr(std::move(steps), expr_.text()).evaluate({}));
    return number(value);
  }

  Part sign(Op op, const Part& operand) const {
    const bool word = op == Op::kNot && language_ == Language::kPython;
    const char* text = op == Op::kNegate ? "-" : word ? "not " : "!";
    return {text + bracketed(operand), std::nullopt, false};
  }

  Part pair(Op op, const Part& left, const Part& right) const {
    const char* function = op == Op::kCeilDiv ? "ceil_div"
                           : op == Op::kMin   ? "min"
                           : op == Op::kMax   ? "max"
                                              : nullptr;
    if (function != nullptr)
      return {fmt::format("{}({}, {})", function, left.text, right.text), std::nullopt, true};
    return {fmt::format("{} {} {}", bracketed(left), sign_of(op, language_), bracketed(right)),
            std::nullopt, false};
  }

  const Expr& expr_;
  const Bindings& known_;
  Language language_;
  std::vector<Part> parts_;
};

}  // namespace

Result<std::string> source_of(const Expr& expr, const Bindings& known, Language language) {
  return Writer(expr, known, language).write();
}

}  // namespace kp::package

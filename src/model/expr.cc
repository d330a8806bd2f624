// SPDX-License-Identifier: Apache-2.0
#include "model/expr.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "base/check.h"

namespace kp {
namespace {

using Op = Expr::Op;
using Value = std::int64_t;

std::size_t operands(Op op) {
  if (op == Op::kLiteral || op == Op::kName) return 0;
  return op == Op::kNegate || op == Op::kNot ? 1 : 2;
}

bool leaves_one_value(const std::vector<Expr::Step>& postfix) {
  std::size_t depth = 0;
  for (const Expr::Step& step : postfix) {
    if (depth < operands(step.op)) return false;
    depth = depth - operands(step.op) + 1;
  }
  return depth == 1;
}

/// Absent on overflow.
std::optional<Value> arithmetic(Op op, Value a, Value b) {
  Value out = 0;
  const bool overflow = op == Op::kAdd        ? __builtin_add_overflow(a, b, &out)
                        : op == Op::kSubtract ? __builtin_sub_overflow(a, b, &out)
                                              : __builtin_mul_overflow(a, b, &out);
  if (overflow) return std::nullopt;
  return out;
}

Value divide(Op op, Value a, Value b) {
  if (op == Op::kModulo) return a % b;
  const Value quotient = a / b;
  const bool round_up = op == Op::kCeilDiv && a % b != 0 && (a < 0) == (b < 0);
  return quotient + (round_up ? 1 : 0);
}

Value compare(Op op, Value a, Value b) {
  switch (op) {
    case Op::kLess:
      return a < b;
    case Op::kLessEqual:
      return a <= b;
    case Op::kGreater:
      return a > b;
    case Op::kGreaterEqual:
      return a >= b;
    case Op::kEqual:
      return a == b;
    case Op::kNotEqual:
      return a != b;
    case Op::kAnd:
      return a != 0 && b != 0;
    case Op::kOr:
      return a != 0 || b != 0;
    case Op::kMin:
      return std::min(a, b);
    default:
      return std::max(a, b);
  }
}

tl::unexpected<Error> overflow(const std::string& text) {
  return fail(ErrorCode::kInvalidInput, fmt::format("`{}` overflows 64 bits", text),
              "use smaller axis values or a smaller expression");
}

Result<Value> apply(Op op, Value a, Value b, const std::string& text) {
  switch (op) {
    case Op::kAdd:
    case Op::kSubtract:
    case Op::kMultiply: {
      const std::optional<Value> value = arithmetic(op, a, b);
      return value ? Result<Value>(*value) : overflow(text);
    }
    case Op::kDivide:
    case Op::kModulo:
    case Op::kCeilDiv:
      if (b == 0) {
        return fail(ErrorCode::kInvalidInput, fmt::format("`{}` divides by zero", text),
                    "check the axis and tune values that the divisor depends on");
      }
      if (a == std::numeric_limits<Value>::min() && b == -1) return overflow(text);
      return divide(op, a, b);
    default:
      return compare(op, a, b);
  }
}

}  // namespace

Expr::Expr(std::int64_t literal)
    : postfix_{Step{Op::kLiteral, literal, {}}}, text_(std::to_string(literal)) {}

Expr::Expr(std::vector<Step> postfix, std::string text)
    : postfix_(std::move(postfix)), text_(std::move(text)) {
  KP_CHECK(leaves_one_value(postfix_), "an expression must leave exactly one value");
}

Result<std::int64_t> Expr::evaluate(const Bindings& bindings) const {
  std::vector<Value> stack;
  const auto pop = [&stack] {
    const Value top = stack.back();
    stack.pop_back();
    return top;
  };
  for (const Step& step : postfix_) {
    if (step.op == Op::kLiteral) {
      stack.push_back(step.value);
    } else if (step.op == Op::kName) {
      const auto found = bindings.find(step.name);
      if (found == bindings.end()) {
        return fail(ErrorCode::kInvalidInput,
                    fmt::format("`{}` has no value in `{}`", step.name, text_));
      }
      stack.push_back(found->second);
    } else if (step.op == Op::kNot) {
      stack.push_back(pop() == 0);
    } else {
      const Value right = pop();
      // Negation is 0 - x, so that one overflow rule serves both.
      const Value left = step.op == Op::kNegate ? 0 : pop();
      const Op op = step.op == Op::kNegate ? Op::kSubtract : step.op;
      KP_TRY(const Value value, apply(op, left, right, text_));
      stack.push_back(value);
    }
  }
  return stack.back();
}

std::set<std::string> Expr::names() const {
  std::set<std::string> names;
  for (const Step& step : postfix_) {
    if (step.op == Op::kName) names.insert(step.name);
  }
  return names;
}

}  // namespace kp

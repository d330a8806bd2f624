// SPDX-License-Identifier: Apache-2.0
#include "task/expr_parser.h"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "base/text.h"

namespace kp::task {
namespace {

using Kind = Token::Kind;
using Op = Expr::Op;

constexpr int kDeepest = 64;
constexpr std::size_t kMostSteps = 4096;

struct Binary {
  std::string_view symbol;
  Op op;
  int level;  // binds tighter when larger
};
constexpr std::array<Binary, 14> kBinaries{{
    {"||", Op::kOr, 1},
    {"&&", Op::kAnd, 2},
    {"==", Op::kEqual, 3},
    {"!=", Op::kNotEqual, 3},
    {"<", Op::kLess, 4},
    {"<=", Op::kLessEqual, 4},
    {">", Op::kGreater, 4},
    {">=", Op::kGreaterEqual, 4},
    {"+", Op::kAdd, 5},
    {"-", Op::kSubtract, 5},
    {"*", Op::kMultiply, 6},
    {"/", Op::kDivide, 6},
    {"//", Op::kDivide, 6},
    {"%", Op::kModulo, 6},
}};

struct Function {
  std::string_view name;
  Op op;
};
constexpr std::array<Function, 3> kFunctions{
    {{"ceil_div", Op::kCeilDiv}, {"min", Op::kMin}, {"max", Op::kMax}}};

class ExprParser {
 public:
  explicit ExprParser(Cursor& cursor) : cursor_(cursor), begin_(cursor.position()) {}

  Result<Expr> run() {
    KP_TRY_VOID(binary(1));
    return Expr(std::move(steps_), cursor_.text_since(begin_));
  }

 private:
  std::optional<Binary> next_binary(int lowest) const {
    for (const Binary& binary : kBinaries) {
      if (binary.level >= lowest && cursor_.peek().is(binary.symbol)) return binary;
    }
    return std::nullopt;
  }

  Result<void> binary(int lowest) {
    KP_TRY_VOID(unary());
    while (const std::optional<Binary> found = next_binary(lowest)) {
      cursor_.take();
      KP_TRY_VOID(binary(found->level + 1));
      KP_TRY_VOID(push({found->op, 0, {}}));
    }
    return {};
  }

  Result<void> unary() {
    if (++depth_ > kDeepest) {
      return fail_at(cursor_.spot(), fmt::format("expression is nested deeper than {}", kDeepest),
                     "split it with an axis or simplify it");
    }
    const bool negate = cursor_.accept("-");
    const bool invert = !negate && cursor_.accept("!");
    if (negate || invert) {
      KP_TRY_VOID(unary());
      KP_TRY_VOID(push({negate ? Op::kNegate : Op::kNot, 0, {}}));
    } else {
      KP_TRY_VOID(primary());
    }
    --depth_;
    return {};
  }

  Result<void> primary() {
    const Token token = cursor_.peek();
    if (token.kind == Kind::kReal) {
      return fail_at(cursor_.spot(), fmt::format("`{}` is not an integer", token.text),
                     "expressions of a plan are 64-bit integer arithmetic");
    }
    if (token.kind == Kind::kWord) {
      return fail_at(cursor_.spot(), fmt::format("`{}` is not a number", token.text));
    }
    if (token.kind == Kind::kInteger) {
      cursor_.take();
      return push({Op::kLiteral, token.integer, {}});
    }
    if (token.kind == Kind::kName) {
      if (cursor_.peek(1).is("(")) return call();
      cursor_.take();
      return push({Op::kName, 0, std::string(token.text)});
    }
    if (!cursor_.accept("(")) return cursor_.expected("a number, a name or `(`");
    KP_TRY_VOID(binary(1));
    return cursor_.expect(")", "the expression");
  }

  Result<void> call() {
    const Token name = cursor_.peek();
    std::optional<Op> op;
    for (const Function& function : kFunctions) {
      if (function.name == name.text) op = function.op;
    }
    if (!op) return unknown_function(name);
    cursor_.take();
    cursor_.take();
    KP_TRY_VOID(binary(1));
    KP_TRY_VOID(cursor_.expect(",", fmt::format("the first argument of `{}`", name.text)));
    KP_TRY_VOID(binary(1));
    KP_TRY_VOID(push({*op, 0, {}}));
    while (*op != Op::kCeilDiv && cursor_.accept(",")) {
      KP_TRY_VOID(binary(1));
      KP_TRY_VOID(push({*op, 0, {}}));
    }
    return cursor_.expect(")", fmt::format("the arguments of `{}`", name.text));
  }

  Result<void> unknown_function(const Token& name) const {
    std::vector<std::string> known;
    for (const Function& function : kFunctions) known.emplace_back(function.name);
    const std::optional<std::string> close = nearest(name.text, known);
    return fail_at(cursor_.spot(), fmt::format("unknown function `{}`", name.text),
                   close ? fmt::format("did you mean `{}`?", *close)
                         : "the functions are ceil_div(a, b), min(a, b), max(a, b)");
  }

  Result<void> push(Expr::Step step) {
    if (steps_.size() >= kMostSteps) {
      return fail_at(cursor_.spot(),
                     fmt::format("expression has more than {} operands and operators", kMostSteps));
    }
    steps_.push_back(std::move(step));
    return {};
  }

  Cursor& cursor_;
  std::size_t begin_;
  int depth_ = 0;
  std::vector<Expr::Step> steps_;
};

}  // namespace

Result<Expr> parse_expr(Cursor& cursor) { return ExprParser(cursor).run(); }

Result<Expr> parse_python_expr(std::string_view text) {
  const TextMap map(text, {});
  KP_TRY(std::vector<Token> tokens, tokenize({text, {0, text.size()}, map, Dialect::kPython}));
  Cursor cursor(std::move(tokens), map);
  KP_TRY(Expr expr, parse_expr(cursor));
  if (cursor.peek().kind != Kind::kEnd) return cursor.expected("an operator");
  return expr;
}

}  // namespace kp::task

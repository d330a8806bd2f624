// SPDX-License-Identifier: Apache-2.0
#include "model/expr.h"

#include <gtest/gtest.h>

#include <limits>

namespace kp {
namespace {

using Op = Expr::Op;
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

Expr binary(std::int64_t a, Op op, std::int64_t b) {
  return Expr({{Op::kLiteral, a, {}}, {Op::kLiteral, b, {}}, {op, 0, {}}}, "a ? b");
}

std::int64_t value(std::int64_t a, Op op, std::int64_t b) {
  const auto result = binary(a, op, b).evaluate({});
  EXPECT_TRUE(result) << result.error().text();
  return result.value_or(-99);
}

std::string error(std::int64_t a, Op op, std::int64_t b) {
  const auto result = binary(a, op, b).evaluate({});
  return result ? "no error" : result.error().message;
}

TEST(Expr, IsZeroUnlessSaidOtherwise) {
  EXPECT_EQ(Expr().evaluate({}).value(), 0);
  EXPECT_EQ(Expr(), Expr(0));
  EXPECT_EQ(Expr(-7).evaluate({}).value(), -7);
  EXPECT_EQ(Expr(-7).text(), "-7");
}

TEST(Expr, DividesTowardsZeroAndRoundsCeilDivUp) {
  EXPECT_EQ(value(7, Op::kDivide, 2), 3);
  EXPECT_EQ(value(-7, Op::kDivide, 2), -3);
  EXPECT_EQ(value(-7, Op::kModulo, 2), -1);
  EXPECT_EQ(value(7, Op::kCeilDiv, 2), 4);
  EXPECT_EQ(value(8, Op::kCeilDiv, 2), 4);
  EXPECT_EQ(value(-7, Op::kCeilDiv, 2), -3);
  EXPECT_EQ(value(-7, Op::kCeilDiv, -2), 4);
  EXPECT_EQ(value(0, Op::kCeilDiv, 5), 0);
}

TEST(Expr, GivesZeroOrOneForConditions) {
  EXPECT_EQ(value(1, Op::kLess, 2), 1);
  EXPECT_EQ(value(2, Op::kLessEqual, 1), 0);
  EXPECT_EQ(value(2, Op::kGreater, 1), 1);
  EXPECT_EQ(value(1, Op::kGreaterEqual, 2), 0);
  EXPECT_EQ(value(3, Op::kEqual, 3), 1);
  EXPECT_EQ(value(3, Op::kNotEqual, 3), 0);
  EXPECT_EQ(value(5, Op::kAnd, 2), 1);
  EXPECT_EQ(value(0, Op::kOr, 0), 0);
  EXPECT_EQ(value(3, Op::kMin, 2), 2);
  EXPECT_EQ(value(3, Op::kMax, 2), 3);
}

TEST(Expr, ReportsOverflowAndDivisionByZero) {
  EXPECT_EQ(error(kMost, Op::kAdd, 1), "`a ? b` overflows 64 bits");
  EXPECT_EQ(error(kLeast, Op::kSubtract, 1), "`a ? b` overflows 64 bits");
  EXPECT_EQ(error(kMost, Op::kMultiply, 2), "`a ? b` overflows 64 bits");
  EXPECT_EQ(error(kLeast, Op::kDivide, -1), "`a ? b` overflows 64 bits");
  EXPECT_EQ(error(kLeast, Op::kModulo, -1), "`a ? b` overflows 64 bits");
  EXPECT_EQ(error(1, Op::kDivide, 0), "`a ? b` divides by zero");
  EXPECT_EQ(error(1, Op::kModulo, 0), "`a ? b` divides by zero");
  EXPECT_EQ(error(1, Op::kCeilDiv, 0), "`a ? b` divides by zero");
  const Expr negated({{Op::kLiteral, kLeast, {}}, {Op::kNegate, 0, {}}}, "-a");
  EXPECT_EQ(negated.evaluate({}).error().message, "`-a` overflows 64 bits");
}

TEST(Expr, ReadsNamesFromItsBindings) {
  const Expr expr({{Op::kName, 0, "n"}, {Op::kName, 0, "m"}, {Op::kSubtract, 0, {}}}, "n - m");
  EXPECT_EQ(expr.evaluate({{"n", 5}, {"m", 7}}).value(), -2);
  EXPECT_EQ(expr.names(), (std::set<std::string>{"m", "n"}));
  EXPECT_EQ(expr.evaluate({{"n", 5}}).error().message, "`m` has no value in `n - m`");
}

TEST(ExprDeathTest, MustLeaveOneValue) {
  EXPECT_DEATH(Expr({{Op::kAdd, 0, {}}}, "+"), "exactly one value");
  EXPECT_DEATH(Expr(std::vector<Expr::Step>{}, ""), "exactly one value");
}

}  // namespace
}  // namespace kp

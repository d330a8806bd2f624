// SPDX-License-Identifier: Apache-2.0
#include "draft/polynomial.h"

#include <gtest/gtest.h>

namespace kp::draft {
namespace {

const Polynomial n = Polynomial::name("n"), rows = Polynomial::name("rows"),
                 b = Polynomial::name("b");

TEST(Polynomial, ComputesWithConstantsAndNames) {
  EXPECT_EQ((n * 4 + 8 - n).text(), "3 * n + 8");
  EXPECT_EQ(((rows - 1) * n + n - 1 + 1).text(), "n * rows");
  EXPECT_EQ((n - n).constant(), 0);
  EXPECT_EQ((n * 4 / 4), n);
  EXPECT_EQ((Polynomial(7) / 2).constant(), 3);
}

TEST(Polynomial, KnowsTheIdiomsThatRoundUp) {
  EXPECT_EQ(((n + 255) / 256).text(), "ceil_div(n, 256)");
  EXPECT_EQ(((n + b - 1) / b).text(), "ceil_div(n, b)");
  EXPECT_EQ(((n - 1) / 256 + 1).text(), "ceil_div(n, 256)");
  EXPECT_EQ((n / 256).text(), "(n) / (256)");
  EXPECT_EQ(((n + 254) / 256).text(), "(n + 254) / (256)");
}

TEST(Polynomial, PutsAValueInPlaceOfAName) {
  EXPECT_EQ((n * n + rows).with("n", rows + 1).text(), "rows * rows + 3 * rows + 1");
  EXPECT_EQ((n * 2).names(), std::set<std::string>{"n"});
  EXPECT_EQ(((n + 255) / 256).names(), std::set<std::string>{"n"});
}

}  // namespace
}  // namespace kp::draft

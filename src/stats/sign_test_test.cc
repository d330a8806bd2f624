// SPDX-License-Identifier: Apache-2.0
#include "stats/sign_test.h"

#include <gtest/gtest.h>

#include <vector>

namespace kp::stats {
namespace {

using Sample = std::vector<double>;

TEST(SignTest, AgreesWithThePublishedExampleOfTenDeer) {
  // Zar, Biostatistical Analysis, 5th ed., example 24.11: lengths of hind and fore legs of deer;
  // eight differences are positive, two negative, P = 0.10938.
  const Sample hind{142, 140, 144, 144, 142, 146, 149, 150, 142, 148};
  const Sample fore{138, 136, 147, 139, 143, 141, 143, 145, 136, 146};
  const SignTest test = sign_test(hind, fore);
  EXPECT_EQ(test.above, 8);
  EXPECT_EQ(test.below, 2);
  EXPECT_EQ(test.ties, 0);
  EXPECT_NEAR(test.p_value, 0.109375, 1e-12);  // 2 (1 + 10 + 45) / 1024
}

TEST(SignTest, DropsPairsWithoutADifference) {
  const SignTest test = sign_test(Sample{1, 2, 3, 4, 5, 6}, Sample{0, 1, 2, 3, 4, 6});
  EXPECT_EQ(test.ties, 1);
  EXPECT_NEAR(test.p_value, 2.0 / 32.0, 1e-12);
}

TEST(SignTest, IsSymmetric) {
  const Sample x{3, 1, 4, 1, 5}, y{2, 7, 1, 8, 2};
  EXPECT_DOUBLE_EQ(sign_test(x, y).p_value, sign_test(y, x).p_value);
  EXPECT_EQ(sign_test(x, y).above, sign_test(y, x).below);
}

TEST(SignTest, SeesNothingInABalanceOrWithoutPairs) {
  EXPECT_DOUBLE_EQ(sign_test(Sample{1, 2}, Sample{2, 1}).p_value, 1);
  EXPECT_DOUBLE_EQ(sign_test({}, {}).p_value, 1);
  EXPECT_DOUBLE_EQ(sign_test(Sample{1}, Sample{1}).p_value, 1);
}

}  // namespace
}  // namespace kp::stats

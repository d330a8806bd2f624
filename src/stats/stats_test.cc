// SPDX-License-Identifier: Apache-2.0
#include "stats/stats.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace kp::stats {
namespace {

using Sample = std::vector<double>;

TEST(Stats, CentersOfASmallSample) {
  const Sample x{4, 1, 3, 2};
  EXPECT_DOUBLE_EQ(mean(x), 2.5);
  EXPECT_DOUBLE_EQ(median(x), 2.5);
  EXPECT_DOUBLE_EQ(median(Sample{9, 1, 5}), 5);
  EXPECT_DOUBLE_EQ(standard_deviation(x), std::sqrt(5.0 / 3.0));
  EXPECT_DOUBLE_EQ(geometric_mean(Sample{1, 4, 16}), 4);
}

TEST(Stats, QuantileInterpolatesLikeTypeSeven) {
  const Sample x{1, 2, 3, 4, 5};
  EXPECT_DOUBLE_EQ(quantile(x, 0.1), 1.4);
  EXPECT_DOUBLE_EQ(quantile(x, 0.0), 1);
  EXPECT_DOUBLE_EQ(quantile(x, 1.0), 5);
  EXPECT_DOUBLE_EQ(quantile(Sample{7}, 0.3), 7);
}

TEST(Stats, EmptyOrImpossibleInputGivesNaN) {
  EXPECT_TRUE(std::isnan(mean({})));
  EXPECT_TRUE(std::isnan(median({})));
  EXPECT_TRUE(std::isnan(geometric_mean({})));
  EXPECT_TRUE(std::isnan(geometric_mean(Sample{1, 0})));
  EXPECT_TRUE(std::isnan(bootstrap_median({}).low));
  EXPECT_TRUE(std::isnan(bootstrap_geometric_mean(Sample{-1, 2}).high));
}

TEST(Stats, BootstrapIsRepeatableAndSurroundsTheMedian) {
  Sample x;
  for (int i = 0; i < 101; ++i) x.push_back(100.0 + i);
  const Interval first = bootstrap_median(x);
  const Interval again = bootstrap_median(x);
  EXPECT_EQ(first.low, again.low);
  EXPECT_EQ(first.high, again.high);
  // Order-statistic theory: half width about 1.96 * 0.5 * sqrt(101) = 9.8 values.
  EXPECT_NEAR(first.low, 140, 4);
  EXPECT_NEAR(first.high, 160, 4);
  EXPECT_NE(bootstrap_median(x, 0.95, 2000, 2).low + bootstrap_median(x, 0.95, 50, 3).low,
            2 * first.low);
}

TEST(Stats, BootstrapOfEqualValuesIsAPoint) {
  const Interval interval = bootstrap_geometric_mean(Sample{2, 2, 2});
  EXPECT_DOUBLE_EQ(interval.low, 2);
  EXPECT_DOUBLE_EQ(interval.high, 2);
}

TEST(Stats, WilcoxonIsExactForSmallSamples) {
  // All five differences positive: p = 2 / 2^5.
  const SignedRank test = wilcoxon(Sample{2, 4, 6, 8, 10}, Sample{1, 2, 3, 4, 5});
  EXPECT_DOUBLE_EQ(test.statistic, 0);
  EXPECT_DOUBLE_EQ(test.p_value, 2.0 / 32.0);
  EXPECT_EQ(test.pairs, 5);
}

TEST(Stats, WilcoxonAgreesWithThePublishedTable) {
  // n = 10: P(W <= 8) = 25 / 1024, the 5 % critical value of the two-sided table.
  const Sample x{1, 2, -3, 4, -5, 6, 7, 8, 9, 10};
  const SignedRank test = wilcoxon(x, Sample(10, 0.0));
  EXPECT_DOUBLE_EQ(test.statistic, 8);
  EXPECT_DOUBLE_EQ(test.p_value, 2 * 25.0 / 1024.0);
}

TEST(Stats, WilcoxonDropsZerosAndCorrectsTies) {
  const Sample x{1, 1, 2, 2, 0, -1};
  const SignedRank test = wilcoxon(x, Sample(6, 0.0));
  EXPECT_EQ(test.pairs, 5);
  EXPECT_DOUBLE_EQ(test.statistic, 2);
  // mean 7.5, variance 13.75 - (24 + 6) / 48, continuity 0.5.
  EXPECT_NEAR(test.p_value, std::erfc(5.0 / std::sqrt(13.125) / std::sqrt(2.0)), 1e-12);
}

TEST(Stats, WilcoxonWithoutDifferencesSeesNothing) {
  EXPECT_DOUBLE_EQ(wilcoxon(Sample{1, 2}, Sample{1, 2}).p_value, 1);
}

}  // namespace
}  // namespace kp::stats

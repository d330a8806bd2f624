// SPDX-License-Identifier: Apache-2.0
#include "suite/compare.h"

#include <gtest/gtest.h>

#include <cmath>

#include "suite/results_fixture.h"

namespace kp::suite {
namespace {

Side side(const std::string& name, std::vector<RunResult> runs) { return {name, "all", runs, {}}; }

TEST(Compare, PairsRunsByTaskAndSeed) {
  const Side a = side("A", {run_of("x", 1, 2), run_of("x", 2, 4), run_of("y", 1, 8)});
  const Side b = side("B", {run_of("y", 1, 2), run_of("x", 1, 1), run_of("x", 2, 2)});
  const auto compared = compare(a, b);
  ASSERT_TRUE(compared) << compared.error().text();
  ASSERT_EQ(compared->comparisons.size(), 1u);
  const Comparison& one = compared->comparisons[0];
  EXPECT_EQ(one.pairs.size(), 3u);
  // Task x: 2x and 2x; task y: 4x.
  EXPECT_NEAR(one.ratio.value, std::sqrt(8), 1e-12);
  EXPECT_NEAR(one.ratio.interval.low, 2, 1e-12);
  EXPECT_NEAR(one.ratio.interval.high, 4, 1e-12);
  EXPECT_EQ(one.sign.above, 3);
  EXPECT_NEAR(one.sign.p_value, 2.0 / 8, 1e-12);
}

TEST(Compare, TestsAgreeWithValuesByHand) {
  std::vector<RunResult> first, second;
  for (int i = 1; i <= 6; ++i) {
    first.push_back(run_of("t" + std::to_string(i), 1, 1 + 0.1 * i));
    second.push_back(run_of("t" + std::to_string(i), 1, 1));
  }
  const auto compared = compare(side("A", first), side("B", second));
  ASSERT_TRUE(compared);
  // All six differences positive and different: p = 2 / 2^6.
  EXPECT_NEAR(compared->comparisons[0].wilcoxon.p_value, 2.0 / 64, 1e-12);
  EXPECT_NEAR(compared->comparisons[0].sign.p_value, 2.0 / 64, 1e-12);
}

TEST(Compare, WhatDiffersByLessThanAnyoneCanTellIsATie) {
  const auto compared = compare(side("A", {run_of("x", 1, 2.00001), run_of("y", 1, 2.001)}),
                                side("B", {run_of("x", 1, 2), run_of("y", 1, 2)}));
  ASSERT_TRUE(compared);
  EXPECT_EQ(compared->comparisons[0].sign.ties, 1);
  EXPECT_EQ(compared->comparisons[0].wilcoxon.pairs, 1);
  EXPECT_EQ(compare_tables(*compared)[1].rows[0][5], "neither");
}

TEST(Compare, AFailureIsOneTimesTheBaseline) {
  const auto compared = compare(side("A", {failed_run("x", 1)}), side("B", {run_of("x", 1, 2)}));
  ASSERT_TRUE(compared);
  const Pair& pair = compared->comparisons[0].pairs[0];
  EXPECT_TRUE(pair.failed_a);
  EXPECT_DOUBLE_EQ(pair.a, 1);
  EXPECT_NEAR(compared->comparisons[0].ratio.value, 0.5, 1e-12);
}

TEST(Compare, RefusesModelledAgainstMeasured) {
  const auto compared =
      compare(side("A", {run_of("x", 1, 2)}), side("B", {measured(run_of("x", 1, 2))}));
  ASSERT_FALSE(compared);
  EXPECT_NE(compared.error().text().find("modelled and measured times have no common scale"),
            std::string::npos);
}

TEST(Compare, LeavesOutWhatIsNotOnBothSidesOrInQuarantineOrChanged) {
  RunResult changed = run_of("changed", 1, 2);
  changed.task_digest = "another";
  const Side a = side("A", {run_of("x", 1, 2), run_of("alone", 1, 2), quarantined_run("q", "zero"),
                            run_of("changed", 1, 2)});
  const Side b =
      side("B", {run_of("x", 1, 2), quarantined_run("q", "zero"), changed, run_of("late", 1, 2)});
  const auto compared = compare(a, b);
  ASSERT_TRUE(compared);
  EXPECT_EQ(compared->comparisons[0].pairs.size(), 1u);
  const std::vector<std::string> expected{"alone, seed 1: only on the first side",
                                          "q, seed 1: in quarantine",
                                          "changed, seed 1: the task is not the same on both sides",
                                          "late, seed 1: only on the second side"};
  EXPECT_EQ(compared->left_out, expected);
}

TEST(Compare, SaysWhyNothingIsLeft) {
  const auto compared = compare(side("A", {run_of("x", 1, 2)}), side("B", {run_of("y", 1, 2)}));
  ASSERT_FALSE(compared);
  EXPECT_NE(compared.error().message.find("x, seed 1: only on the first side"), std::string::npos);
}

TEST(Compare, ADifferenceWithinTheNoiseOfTheTaskIsSaidToBe) {
  Side a = side("A", {measured(run_of("x", 1, 2.01))});
  const Side b = side("B", {measured(run_of("x", 1, 2))});
  a.noise = {{"x", "cuda:0", "NVIDIA H200 SXM", Grade::kMeasured, 1.0, 0.99, 1.01}};
  const auto compared = compare(a, b);
  ASSERT_TRUE(compared);
  const auto tables = compare_tables(*compared);
  EXPECT_EQ(tables[1].rows[0][5], "A, within the noise");
}

}  // namespace
}  // namespace kp::suite

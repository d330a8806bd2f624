// SPDX-License-Identifier: Apache-2.0
#include "suite/figures.h"

#include <gtest/gtest.h>

#include <cmath>

#include "suite/results_fixture.h"

namespace kp::suite {
namespace {

GroupFigures only_group(const std::vector<RunResult>& runs) {
  auto groups = groups_of(runs);
  EXPECT_EQ(groups.size(), 1u);
  return figures_of(std::move(groups.at(0)));
}

const AgainstBaseline& against(const GroupFigures& figures, const std::string& baseline) {
  for (const auto& one : figures.baselines) {
    if (one.baseline == baseline) return one;
  }
  ADD_FAILURE() << baseline;
  return figures.baselines.front();
}

TEST(Figures, CountFailuresInMeansAndInFastP) {
  const auto figures =
      only_group({run_of("a", 1, 2), run_of("b", 1, 8), failed_run("c", 1), run_of("d", 1, 0.5)});
  const AgainstBaseline& plan = against(figures, "plan");
  EXPECT_EQ(plan.tasks, 4);
  EXPECT_EQ(figures.solved, 3);
  EXPECT_DOUBLE_EQ(plan.fast[0]->value, 0.75);  // correct
  EXPECT_DOUBLE_EQ(plan.fast[2]->value, 0.5);   // faster than 1x
  EXPECT_DOUBLE_EQ(plan.fast[4]->value, 0.25);  // than 2x
  EXPECT_NEAR(plan.failures_as_one->value, std::pow(8, 0.25), 1e-12);
  EXPECT_NEAR(plan.solved_only->value, 2, 1e-12);
  EXPECT_LE(plan.failures_as_one->interval.low, plan.failures_as_one->value);
  EXPECT_GE(plan.failures_as_one->interval.high, plan.failures_as_one->value);
}

TEST(Figures, OfABaselineThatNobodyTimedAreUnknown) {
  const auto figures = only_group({run_of("a", 1, 2), failed_run("b", 1)});
  const AgainstBaseline& eager = against(figures, "eager");
  EXPECT_EQ(eager.tasks, 0);
  EXPECT_FALSE(eager.failures_as_one);
  EXPECT_FALSE(eager.fast[0]);
}

TEST(Figures, FailuresCountAgainstEveryBaselineThatWasTimed) {
  RunResult solved = run_of("a", 1, 2), failed = failed_run("b", 1);
  for (RunResult* run : {&solved, &failed}) {
    run->yardsticks.push_back({"eager", "f32", Grade::kModelled, 1600});
  }
  const AgainstBaseline& eager = against(only_group({solved, failed}), "eager");
  EXPECT_EQ(eager.tasks, 2);
  EXPECT_NEAR(eager.failures_as_one->value, 2, 1e-12);  // 4x and a failure
}

TEST(Figures, TheFastestBaselineIsOfTheSamePrecisionAndNotThePlan) {
  RunResult run = run_of("a", 1, 2);  // the best takes 400 ns
  run.yardsticks.push_back({"eager", "f32", Grade::kModelled, 600});
  run.yardsticks.push_back({"compile", "f32", Grade::kModelled, 500});
  run.yardsticks.push_back({"graph", "tf32", Grade::kModelled, 100});
  EXPECT_NEAR(*speedup_over(run, "fastest"), 1.25, 1e-12);
  EXPECT_FALSE(speedup_over(run_of("a", 1, 2), "fastest"));
}

TEST(Figures, ATimeOfAnotherGradeIsNoBaseline) {
  RunResult run = run_of("a", 1, 2);
  run.yardsticks.push_back({"eager", "f32", Grade::kMeasured, 600});
  EXPECT_FALSE(speedup_over(run, "eager"));
}

TEST(Figures, ModelledAndMeasuredRunsAreNeverInOneGroup) {
  RunResult other = measured(run_of("c", 1, 2));
  other.product = "another GPU";
  const auto groups = groups_of({run_of("a", 1, 2), measured(run_of("b", 1, 4)), other});
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0].grade, Grade::kModelled);
  EXPECT_EQ(groups[1].grade, Grade::kMeasured);
  EXPECT_EQ(groups[1].runs.size(), 1u);
}

TEST(Figures, QuarantinedRunsAreInNoGroup) {
  EXPECT_TRUE(groups_of({quarantined_run("a", "constant output")}).empty());
}

TEST(Figures, TheRoofIsWhatTheBestLeavesOver) {
  // 2x won with 2x left: half of the logarithm of 4, at half of the roof.
  const auto figures = only_group({run_of("a", 1, 2), failed_run("b", 1)});
  EXPECT_EQ(figures.roof.runs, 1);
  EXPECT_NEAR(*figures.roof.fraction, 0.5, 1e-12);
  EXPECT_NEAR(*figures.roof.log_share, 0.5, 1e-12);
}

TEST(Figures, WithoutAKnownRoofTheShareIsUnknown) {
  RunResult run = run_of("a", 1, 2);
  run.best->headroom.reset();
  EXPECT_FALSE(only_group({run}).roof.fraction);
}

TEST(Figures, MilestonesKeepTheBestSoFarOfRunsThatEnded) {
  RunResult longer = run_of("b", 1, 2);
  longer.points.push_back({3, 2, "wrong answer", {}, "cute", 4.0, {}, {}});
  longer.points.push_back({4, 3, "measured", 8.0, "cute", 6.0, {}, {}});
  longer.evaluations = 4;
  const auto marks = milestones_of({run_of("a", 1, 2), longer});
  ASSERT_EQ(marks.size(), 3u);  // 1, 2, 4
  EXPECT_NEAR(*marks[0].speedup, 1, 1e-12);
  EXPECT_NEAR(*marks[1].speedup, 2, 1e-12);
  EXPECT_NEAR(*marks[2].speedup, 4, 1e-12);
  EXPECT_EQ(marks[2].going, 1);
  EXPECT_NEAR(*marks[2].seconds, 4.5, 1e-12);
  EXPECT_NEAR(*marks[2].cute, 0.5, 1e-12);
  EXPECT_FALSE(marks[2].tokens);
}

TEST(Figures, MilestonesEndWithTheLongestRun) {
  RunResult run = run_of("a", 1, 2);
  run.points.push_back({3, 2, "measured", 3.0, "raw", 4.0, {}, {}});
  run.evaluations = 3;
  const auto marks = milestones_of({run});
  ASSERT_EQ(marks.size(), 3u);
  EXPECT_EQ(marks[2].evaluations, 3);
  EXPECT_NEAR(*marks[2].speedup, 3, 1e-12);
}

TEST(Figures, ALabelThatNobodyKnowsIsCountedAsUnknown) {
  RunResult unknown = run_of("b", 1, 2);
  unknown.best->labels.clear();
  RunResult baseline = run_of("c", 1, 1);
  baseline.best->node = 0;
  const auto figures = only_group({run_of("a", 1, 2), unknown, baseline});
  const std::vector<std::pair<std::string, int>> expected{{"kernel", 1}, {"unknown", 1}};
  EXPECT_EQ(figures.labels, expected);
}

}  // namespace
}  // namespace kp::suite

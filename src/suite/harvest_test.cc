// SPDX-License-Identifier: Apache-2.0
#include "suite/harvest.h"

#include "report/run_fixture.h"

namespace kp::suite {
namespace {

class Harvest : public report::StoredRun {
 protected:
  RunResult harvested(std::vector<std::pair<int, double>> moments = {}) {
    EndedRun context;
    context.key = {"all", "softmax", 7};
    context.suite_folder = folder().parent_path();
    context.run_folder = folder();
    context.moments = std::move(moments);
    auto result = harvest(context, task_);
    EXPECT_TRUE(result) << result.error().text();
    return result ? *std::move(result) : RunResult{};
  }
  Task task_;
};

TEST_F(Harvest, TakesTheVersionThatPassedAtFullDepth) {
  add_baseline();
  const int faster = add(0, report::measured_in(50)), fastest = add(0, report::measured_in(20));
  judge_fully(fastest, report::wrong(Depth::kFinal));
  judge_fully(faster, report::measured_in(40, Depth::kFinal));
  judge_fully(0, report::measured_in(80, Depth::kFinal));
  append(store::EndingRecord{"budget", "the budget is spent"});
  const RunResult result = harvested();
  ASSERT_TRUE(result.best);
  EXPECT_EQ(result.best->node, faster);
  EXPECT_DOUBLE_EQ(*result.best->speedup, 2);
  EXPECT_EQ(result.best->labels, std::vector<std::string>{"kernel"});
  EXPECT_EQ(result.reason, "budget");
  EXPECT_EQ(result.folder, "run");
  EXPECT_EQ(result.precision, "f32");
  ASSERT_EQ(result.yardsticks.size(), 1u);
  EXPECT_DOUBLE_EQ(result.yardsticks[0].nanoseconds, 80);
}

TEST_F(Harvest, WithoutAVersionThatPassedThereIsNoBest) {
  add_baseline();
  add(0, report::measured_in(50));
  const RunResult result = harvested();
  EXPECT_FALSE(result.best);
  EXPECT_EQ(result.yardsticks.size(), 1u);
}

TEST_F(Harvest, PointsAreAllThatWasJudgedAndWhatIsNotKnownIsAbsent) {
  add_baseline();
  add(0, report::wrong());
  add(0, report::measured_in(25));
  const RunResult result = harvested({{0, 1.5}, {2, 4}});
  ASSERT_EQ(result.points.size(), 3u);
  EXPECT_EQ(result.evaluations, 3);
  EXPECT_EQ(result.points[0].seconds, 1.5);
  EXPECT_FALSE(result.points[1].seconds);
  EXPECT_FALSE(result.points[1].speedup);
  EXPECT_EQ(result.points[1].outcome, "wrong answer");
  EXPECT_EQ(result.points[2].speedup, 4);
  EXPECT_FALSE(result.points[2].level);  // its source has no plan
  EXPECT_FALSE(result.tokens);
}

TEST_F(Harvest, CostsAreThoseUpToTheAskOfAPoint) {
  add_baseline();
  add(0, report::measured_in(50));
  add(0, report::measured_in(40));
  ASSERT_TRUE(store_->spend({1, "model", 1, 100, 0.5, false}));
  ASSERT_TRUE(store_->spend({2, "model", 1, 50, std::nullopt, false}));
  const RunResult result = harvested();
  EXPECT_EQ(result.points[0].tokens, 0);
  EXPECT_EQ(result.points[1].tokens, 100);
  EXPECT_EQ(result.points[1].dollars, 0.5);
  EXPECT_EQ(result.points[2].tokens, 150);
  EXPECT_FALSE(result.points[2].dollars);
  EXPECT_EQ(result.tokens, 150);
  EXPECT_FALSE(result.dollars);
}

TEST_F(Harvest, ATaskWithoutBaselineHasNoSpeedupOverOne) {
  add_virtual_root();
  const int only = add(0, report::measured_in(50));
  judge_fully(only, report::measured_in(50, Depth::kFinal));
  const RunResult result = harvested();
  ASSERT_TRUE(result.best);
  EXPECT_FALSE(result.best->speedup);
  EXPECT_TRUE(result.yardsticks.empty());
  EXPECT_EQ(result.points.size(), 1u);
}

TEST_F(Harvest, ARunHasEndedUnlessItWasInterrupted) {
  add_baseline();
  EXPECT_EQ(has_ended(folder()), false);
  append(store::EndingRecord{"interrupted", "interrupted"});
  EXPECT_EQ(has_ended(folder()), false);
  append(store::EndingRecord{"budget", "the budget is spent"});
  EXPECT_EQ(has_ended(folder()), true);
  EXPECT_EQ(has_ended(folder() / "nowhere"), false);
}

}  // namespace
}  // namespace kp::suite

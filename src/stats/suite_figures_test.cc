// SPDX-License-Identifier: Apache-2.0
#include "stats/suite_figures.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kp::stats {
namespace {

using Tasks = std::vector<TaskSpeedups>;
constexpr std::nullopt_t kFailed = std::nullopt;

/// One run each: 2x, 8x, a failure, 0.5x.
const Tasks kFour{{2.0}, {8.0}, {kFailed}, {0.5}};

TEST(SuiteFigures, AFailureIsNeverFast) {
  EXPECT_DOUBLE_EQ(fast_p(kFour, 0), 0.75);
  EXPECT_DOUBLE_EQ(fast_p(kFour, 0.8), 0.5);
  EXPECT_DOUBLE_EQ(fast_p(kFour, 1), 0.5);
  EXPECT_DOUBLE_EQ(fast_p(kFour, 2), 0.25);
  EXPECT_DOUBLE_EQ(fast_p(Tasks{{kFailed}}, 0), 0);
}

TEST(SuiteFigures, FastMeansFasterThanPAndNotEqual) {
  EXPECT_DOUBLE_EQ(fast_p(Tasks{{1.5}}, 1.5), 0);
}

TEST(SuiteFigures, AFailureCountsAsOneInTheGeometricMean) {
  // (2 * 8 * 1 * 0.5)^(1/4) = 8^(1/4)
  EXPECT_NEAR(geometric_mean(kFour), std::pow(8.0, 0.25), 1e-12);
}

TEST(SuiteFigures, AFailureIsLeftOutOverSolvedTasks) {
  EXPECT_NEAR(geometric_mean(kFour, {.solved_only = true}), 2, 1e-12);  // (2 * 8 * 0.5)^(1/3)
}

TEST(SuiteFigures, ACapHoldsOneTaskDown) {
  // (2 * 4 * 1 * 0.5)^(1/4)
  EXPECT_NEAR(geometric_mean(kFour, {.cap = 4}), std::sqrt(2.0), 1e-12);
}

TEST(SuiteFigures, TasksWeighTheSameWhateverTheirNumberOfRuns) {
  // The first task's runs come to sqrt(4 * 1) = 2, the second's to 8.
  const Tasks tasks{{4.0, kFailed}, {8.0}};
  EXPECT_NEAR(geometric_mean(tasks), 4, 1e-12);
  EXPECT_DOUBLE_EQ(fast_p(tasks, 1), 0.75);
}

TEST(SuiteFigures, ManyLargeSpeedupsDoNotOverflow) {
  const Tasks tasks(400, TaskSpeedups{1e300});
  EXPECT_NEAR(geometric_mean(tasks) / 1e300, 1, 1e-9);
}

TEST(SuiteFigures, NothingIsUnknownAndNotZero) {
  EXPECT_TRUE(std::isnan(fast_p({}, 1)));
  EXPECT_TRUE(std::isnan(geometric_mean(Tasks{})));
  EXPECT_TRUE(std::isnan(geometric_mean(Tasks{{kFailed}}, {.solved_only = true})));
}

TEST(SuiteFigures, TheIntervalDrawsWholeTasks) {
  // Two tasks of 100 runs each: draws of runs would give a narrow interval around 2, draws of tasks
  // give 1, 2 or 4.
  const Tasks tasks{TaskSpeedups(100, 1.0), TaskSpeedups(100, 4.0)};
  const auto figure = [](std::span<const TaskSpeedups> sample) { return geometric_mean(sample); };
  const Interval interval = task_interval(tasks, figure);
  EXPECT_NEAR(interval.low, 1, 1e-12);
  EXPECT_NEAR(interval.high, 4, 1e-12);
}

TEST(SuiteFigures, TheIntervalLeavesOutDrawsWithoutASolvedTask) {
  const Tasks tasks{{2.0}, {kFailed}};
  const auto figure = [](std::span<const TaskSpeedups> sample) {
    return geometric_mean(sample, {.solved_only = true});
  };
  EXPECT_NEAR(task_interval(tasks, figure).low, 2, 1e-12);
}

TEST(SuiteFigures, ShareOfTheHeadroomIsLogarithmic) {
  EXPECT_NEAR(*headroom_share(2, 8), 1.0 / 3, 1e-12);
  EXPECT_NEAR(*headroom_share(8, 8), 1, 1e-12);
  EXPECT_NEAR(*headroom_share(0.5, 8), -1.0 / 3, 1e-12);
  EXPECT_FALSE(headroom_share(1.1, 1));
  EXPECT_FALSE(headroom_share(2, INFINITY));
}

}  // namespace
}  // namespace kp::stats

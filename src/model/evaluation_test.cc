// SPDX-License-Identifier: Apache-2.0
#include "model/evaluation.h"

#include <gtest/gtest.h>

namespace kp {
namespace {

std::string line(Outcome outcome) {
  Evaluation evaluation;
  evaluation.outcome = std::move(outcome);
  return summary(evaluation);
}

TEST(Summary, IsOneLineWithTheMostUsefulDetail) {
  EXPECT_EQ(line(BuildFailed{"In file included\nk.cu(3): error: x is undefined\nmore", {}}),
            "build failed: k.cu(3): error: x is undefined");
  EXPECT_EQ(line(BuildFailed{"\n  no plan\n", {}}), "build failed: no plan");
  EXPECT_EQ(line(Rejected{"canary", "y was written past its end"}),
            "rejected: canary: y was written past its end");
  EXPECT_EQ(line(Crashed{FaultKind::kMemory, "read past x", "k", {"k.cu", 7, 0}}),
            "crashed: memory: read past x at k.cu:7");
  EXPECT_EQ(line(TimedOut{"check", 2.5e9, "instructions", "kernel k"}),
            "timed out: check exceeded 2.5e+09 instructions (kernel k)");
  WrongAnswer wrong;
  wrong.message = "y[3] differs";
  wrong.gate = "row";
  wrong.error = 0.5;
  wrong.limit = 2e-5;
  EXPECT_EQ(line(wrong), "wrong answer: y[3] differs (gate row, error 0.5, limit 2e-05)");
  Measured measured;
  measured.nanoseconds = 41234;
  measured.worst_error = 1e-7;
  measured.error_limit = 2e-5;
  EXPECT_EQ(line(measured), "measured: 41.2 us modelled, error 1e-07 of 2e-05");
  measured.grade = Grade::kMeasured;
  measured.speedup = Speedup{1.52, 1.513, 1.53, 30};
  EXPECT_EQ(line(measured),
            "measured: 41.2 us measured, 1.52x over the baseline (95 %: 1.51 to 1.53, 30 pairs), "
            "error 1e-07 of 2e-05");
}

TEST(Evaluation, ShowsItsMeasurementOnlyWhenThereIsOne) {
  Evaluation evaluation;
  EXPECT_EQ(evaluation.measured(), nullptr);
  evaluation.outcome = Measured{};
  EXPECT_NE(evaluation.measured(), nullptr);
}

TEST(MetricSet, KnowsNothingThatWasNotSet) {
  MetricSet metrics;
  EXPECT_EQ(metrics.get(metric::kDuration), std::nullopt);
  metrics.set(metric::kDuration, 0, Grade::kModelled);
  EXPECT_EQ(metrics.get(metric::kDuration), 0.0);
  EXPECT_EQ(metrics.find("gpu__time_duration.sum")->grade, Grade::kModelled);
}

TEST(MetricSet, MergesWhatItLacks) {
  MetricSet mine, other;
  mine.set(metric::kDuration, 1, Grade::kModelled);
  other.set(metric::kDuration, 2, Grade::kMeasured);
  other.set(metric::kDramRead, 3, Grade::kMeasured);
  mine.merge(other);
  EXPECT_EQ(mine.get(metric::kDuration), 1.0);
  EXPECT_EQ(mine.get(metric::kDramRead), 3.0);
}

}  // namespace
}  // namespace kp

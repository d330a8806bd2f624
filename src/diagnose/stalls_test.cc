// SPDX-License-Identifier: Apache-2.0
#include "diagnose/stalls.h"

#include <gtest/gtest.h>

#include "diagnose/sample_kernel.h"

namespace kp::diagnose {
namespace {

KernelProfile with(std::initializer_list<std::pair<MetricKey, double>> values, Grade grade) {
  KernelProfile kernel;
  for (const auto& [key, value] : values) kernel.metrics.set(key, value, grade);
  return kernel;
}

TEST(Stalls, AreUnknownWithoutAnyReason) {
  EXPECT_FALSE(stalls_of(with({{metric::kWarpLatency, 10}}, Grade::kMeasured)));
  EXPECT_FALSE(stalls_of(with({{metric::kStallBarrier, 4}}, Grade::kMeasured)));
}

TEST(Stalls, AreMeasuredCyclesOverTheCyclesBetweenInstructions) {
  const auto stalls = stalls_of(with(
      {{metric::kWarpLatency, 20}, {metric::kStallLongScoreboard, 12}, {metric::kStallBarrier, 5}},
      Grade::kMeasured));
  ASSERT_TRUE(stalls);
  EXPECT_EQ(stalls->grade, Grade::kMeasured);
  EXPECT_DOUBLE_EQ(*stalls->of(Stall::kLongScoreboard), 0.6);
  EXPECT_DOUBLE_EQ(*stalls->of(Stall::kBarrier), 0.25);
  EXPECT_FALSE(stalls->of(Stall::kShortScoreboard));
  EXPECT_EQ(stalls->dominant(), Stall::kLongScoreboard);
}

TEST(Stalls, TakeTheModelledWaitsOnlyWhereNothingWasMeasured) {
  KernelProfile kernel = with({{metric::kWaitBarrier, 70}}, Grade::kModelled);
  EXPECT_DOUBLE_EQ(*stalls_of(kernel)->of(Stall::kBarrier), 0.7);
  EXPECT_EQ(stalls_of(kernel)->grade, Grade::kModelled);
  kernel.metrics.set(metric::kWarpLatency, 20, Grade::kMeasured);
  kernel.metrics.set(metric::kStallShortScoreboard, 5, Grade::kMeasured);
  EXPECT_FALSE(stalls_of(kernel)->of(Stall::kBarrier));
  EXPECT_EQ(stalls_of(kernel)->grade, Grade::kMeasured);
}

TEST(Stalls, AddUpWhatIsKnown) {
  const auto stalls =
      stalls_of(with({{metric::kWaitBarrier, 20}, {metric::kWaitDrain, 10}}, Grade::kModelled));
  EXPECT_DOUBLE_EQ(*stalls->of({Stall::kBarrier, Stall::kMembar}), 0.2);
  EXPECT_FALSE(stalls->of({Stall::kMembar, Stall::kMathPipe}));
}

TEST(Stalls, WithoutAnyWaitHaveNoDominantOne) {
  EXPECT_FALSE(stalls_of(with({{metric::kWaitBarrier, 0}}, Grade::kModelled))->dominant());
}

TEST(ShareOfWaiting, IsAtMostTheIdleIssueSlotsAndOnlyWhereLatencyBounds) {
  SampleKernel sample;
  sample.times({10e3, 10e3, 10e3, 10e3, 10e3, 300e3});
  const auto share = [&](double waited) {
    const Evidence e = sample.evidence();
    return share_of_waiting(e, *resource_times(e.kernel, e.device), waited);
  };
  EXPECT_NEAR(share(0.5), 0.5, 0.01);
  sample.set({{metric::kIssueActive, 0.8}});
  EXPECT_NEAR(share(0.5), 0.2, 0.01);
  sample.times({290e3, 10e3, 10e3, 10e3, 10e3, 60e3});
  EXPECT_LT(share(0.5), 0.01);
}

}  // namespace
}  // namespace kp::diagnose

// SPDX-License-Identifier: Apache-2.0
#include "diagnose/bound.h"

#include <gtest/gtest.h>

#include "diagnose/resources.h"
#include "diagnose/sample_kernel.h"

namespace kp::diagnose {
namespace {

TEST(Bound, RemovingHalfOfTheTimeDoublesTheSpeed) {
  EXPECT_DOUBLE_EQ(amdahl(0.5), 2);
  EXPECT_DOUBLE_EQ(amdahl(0), 1);
  EXPECT_DOUBLE_EQ(amdahl(-1), 1);
  EXPECT_LT(amdahl(1), 1000);
}

TEST(Bound, AGainIsScaledToTheRunAndCapped) {
  SampleKernel sample;
  EXPECT_DOUBLE_EQ(gain_of(sample.evidence(), 0.5, 10).high, 2);
  EXPECT_DOUBLE_EQ(gain_of(sample.evidence(), 0.5, 10).low, amdahl(0.25));
  EXPECT_DOUBLE_EQ(gain_of(sample.evidence(), 0.5, 1.5).high, 1.5);
  sample.kernel.share = 0.5;
  EXPECT_NEAR(gain_of(sample.evidence(), 0.5, 10).high, 1 / 0.75, 1e-12);
  sample.headroom = 1.1;
  EXPECT_DOUBLE_EQ(gain_of(sample.evidence(), 0.5, 10).high, 1.1);
}

TEST(Bound, SeverityFollowsTheShareOfTime) {
  EXPECT_EQ(severity_of(0.30), Severity::kCritical);
  EXPECT_EQ(severity_of(0.29), Severity::kWarning);
  EXPECT_EQ(severity_of(0.09), Severity::kInfo);
  EXPECT_EQ(severity_of(0.02), std::nullopt);
}

TEST(Bound, NothingIsWeighedThatTheHeadroomForbids) {
  SampleKernel sample;
  EXPECT_TRUE(weigh(sample.evidence(), "x", 0.5, 4));
  sample.headroom = 1.02;
  EXPECT_FALSE(weigh(sample.evidence(), "x", 0.5, 4));
}

TEST(Resources, EasingWhatDoesNotBoundTheKernelWinsLittle) {
  const ResourceTimes times{{100, 10, 50, 10, 10, 10}, 102};
  EXPECT_LT(share_won(times, {.l1 = 0.1}), 0.02);
  EXPECT_NEAR(share_won(times, {.dram = 0.5}), 0.41, 0.02);
  EXPECT_DOUBLE_EQ(share_won(times, {}), 0);
}

TEST(Resources, LatencyTakesTheTimeThatNoThroughputExplains) {
  SampleKernel sample;
  sample.forget(metric::kModelDram);
  EXPECT_FALSE(resource_times(sample.kernel, sample.device));
  EXPECT_EQ(missing_throughput(sample.kernel).name, metric::kDramPct.name);
  sample.set({{metric::kDramPct, 40},
              {metric::kL2Pct, 30},
              {metric::kL1Pct, 20},
              {metric::kComputePct, 25}});
  EXPECT_EQ(resource_times(sample.kernel, sample.device)->longest(), Resource::kLatency);
  sample.set({{metric::kL1Pct, 90}});
  EXPECT_EQ(resource_times(sample.kernel, sample.device)->longest(), Resource::kL1);
}

TEST(Evidence, TheWeakestGradeCounts) {
  KernelProfile kernel;
  kernel.metrics.set(metric::kDuration, 1, Grade::kMeasured);
  kernel.metrics.set(metric::kRegisters, 1, Grade::kStatic);
  constexpr std::array kOne{metric::kDuration, metric::kDramRead};
  constexpr std::array kTwo{metric::kDuration, metric::kRegisters};
  EXPECT_EQ(weakest_grade(kernel, kOne), Grade::kMeasured);
  EXPECT_EQ(weakest_grade(kernel, kTwo), Grade::kStatic);
}

}  // namespace
}  // namespace kp::diagnose

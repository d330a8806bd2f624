// SPDX-License-Identifier: Apache-2.0
#include "diagnose/resources.h"

#include <gtest/gtest.h>

namespace kp::diagnose {
namespace {

/// Throughputs of hardware, in % (issue slots too).
ResourceTimes measured(double dram, double l2, double l1, double issue, double fma) {
  KernelProfile kernel;
  for (const auto& [key, value] : {std::pair{metric::kDramPct, dram},
                                   {metric::kL2Pct, l2},
                                   {metric::kL1Pct, l1},
                                   {metric::kIssueActive, issue / 100},
                                   {metric::kFp32Pct, fma}}) {
    kernel.metrics.set(key, value, Grade::kMeasured);
  }
  const std::optional<ResourceTimes> times = resource_times(kernel, {});
  EXPECT_TRUE(times);
  return times.value_or(ResourceTimes{});
}

TEST(Resources, LatencyIsWhatThroughputsLeaveUnexplained) {
  EXPECT_EQ(measured(10, 20, 10, 5, 5).longest(), Resource::kLatency);
  EXPECT_EQ(measured(59, 55, 40, 50, 55).longest(), Resource::kLatency);
  EXPECT_EQ(measured(10, 20, 85, 5, 5).longest(), Resource::kL1);
  EXPECT_EQ(measured(10, 20, 85, 5, 5).of(Resource::kLatency), 0);
  EXPECT_GT(measured(10, 20, 65, 5, 5).of(Resource::kLatency), 0);
}

TEST(Resources, NoCureTakesMoreThanAllOfTheTime) {
  const ResourceTimes times = measured(82, 96, 24, 8, 3);
  EXPECT_GE(times.total, 96);
  EXPECT_LT(share_won(times, {.dram = 0.1, .l2 = 0.1}), 0.85);
  EXPECT_GT(share_won(times, {.dram = 0.1, .l2 = 0.1}), 0.6);
}

TEST(Resources, TakesTheWholeSmWhereNoPipeIsKnown) {
  KernelProfile kernel;
  for (const MetricKey& key : {metric::kDramPct, metric::kL2Pct, metric::kL1Pct}) {
    kernel.metrics.set(key, 10, Grade::kMeasured);
  }
  kernel.metrics.set(metric::kIssueActive, 0.1, Grade::kMeasured);
  EXPECT_FALSE(resource_times(kernel, {}));
  EXPECT_EQ(missing_throughput(kernel).name, metric::kComputePct.name);
  kernel.metrics.set(metric::kComputePct, 90, Grade::kMeasured);
  EXPECT_EQ(resource_times(kernel, {})->longest(), Resource::kPipe);
}

}  // namespace
}  // namespace kp::diagnose

// SPDX-License-Identifier: Apache-2.0
#include "diagnose/local_memory.h"

#include <gtest/gtest.h>

#include "diagnose/sample_kernel.h"

namespace kp::diagnose {
namespace {

constexpr double kWarps = 262144 * 8;

/// 16 values of each thread, stored and loaded.
SampleKernel spilling() {
  SampleKernel sample;
  sample.set({{metric::kSpillBytes, 128}});
  return sample;
}

void count(SampleKernel& sample, double sectors, Grade grade) {
  sample.kernel.metrics.set(metric::kLocalLoadSectors, sectors / 2, grade);
  sample.kernel.metrics.set(metric::kLocalStoreSectors, sectors / 2, grade);
}

double share(const SampleKernel& sample, const LocalTraffic& local) {
  const auto times = resource_times(sample.kernel, sample.device);
  return times ? share_of_local(sample.evidence(), local, *times) : -1;
}

TEST(LocalMemory, IsUnknownWithoutCounters) {
  SampleKernel sample = spilling();
  EXPECT_FALSE(local_traffic(sample.evidence()).known);
  count(sample, 8, Grade::kModelled);
  const LocalTraffic local = local_traffic(sample.evidence());
  EXPECT_TRUE(local.known);
  EXPECT_FALSE(local.executed) << "only hardware executes spills";
  EXPECT_EQ(local.accesses(), 2) << "an access of a warp is four sectors";
}

TEST(LocalMemory, MovesEachSpilledWordOnceAtLeast) {
  const SampleKernel sample = spilling();
  EXPECT_EQ(spilled_values(sample.evidence()), 16);
  EXPECT_EQ(spills_at_least(sample.evidence()).loads, 16 * kWarps * 4);
}

TEST(LocalMemory, MovesMoreWhereArithmeticUsesWhatIsSpilled) {
  SampleKernel sample = spilling();
  EXPECT_EQ(spills_in_loops(sample.evidence()).loads, spills_at_least(sample.evidence()).loads);
  sample.set({{metric::kRegisters, 48}, {metric::kFfma, 1000 * kWarps * 32 - 67e6}});
  EXPECT_NEAR(spills_in_loops(sample.evidence()).loads, 0.25 * 1000 * kWarps * 4, 1);
}

TEST(LocalMemory, HoldsArraysWhereMoreWasExecutedThanSpillsExplain) {
  SampleKernel sample = spilling();
  count(sample, 33 * kWarps * 4, Grade::kModelled);
  EXPECT_TRUE(arrays_only(sample.evidence(), local_traffic(sample.evidence())));
  count(sample, 31 * kWarps * 4, Grade::kModelled);
  EXPECT_FALSE(arrays_only(sample.evidence(), local_traffic(sample.evidence())));
  count(sample, 33 * kWarps * 4, Grade::kMeasured);
  EXPECT_FALSE(arrays_only(sample.evidence(), local_traffic(sample.evidence())))
      << "hardware counts spills too";
}

TEST(LocalMemory, CostsTimeWhereItsResourceBoundsTheKernel) {
  SampleKernel sample = spilling();
  const LocalTraffic local{50e6, 50e6, true, true};
  EXPECT_EQ(share(sample, {}), 0);
  sample.times({125e3, 20e3, 10e3, 10e3, 10e3, 10e3});
  const double hidden = share(sample, local);
  sample.times({25e3, 20e3, 250e3, 10e3, 10e3, 10e3});
  EXPECT_GT(share(sample, local), 0.5);
  EXPECT_GT(share(sample, local), hidden);
}

TEST(LocalMemory, ComesOnTopWhereTheTimesDoNotHoldIt) {
  SampleKernel sample = spilling();
  sample.times({25e3, 20e3, 250e3, 10e3, 10e3, 10e3});
  const auto times = resource_times(sample.kernel, sample.device);
  ASSERT_TRUE(times);
  EXPECT_EQ(share_on_top(sample.evidence(), {}, *times), 0);
  EXPECT_GT(share_on_top(sample.evidence(), {50e6, 50e6, false, true}, *times), 0.5);
}

}  // namespace
}  // namespace kp::diagnose

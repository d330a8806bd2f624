// SPDX-License-Identifier: Apache-2.0
#include "diagnose/atomic_units.h"

#include <gtest/gtest.h>

#include "diagnose/sample_kernel.h"

namespace kp::diagnose {
namespace {

/// 1 M reductions of whole warps; the L2 does 50 lanes a clock, one line takes one every two.
SampleKernel reductions() {
  SampleKernel sample;
  sample.device.model["atomic_turns"] = 50;
  sample.device.model["line_turns"] = 0.5;
  sample.set({{metric::kGlobalAtomInst, 0}, {metric::kGlobalRedInst, 1e6}});
  return sample;
}

TEST(AtomicUnits, TakeATurnForEachLaneWhenAdditionsSpread) {
  const SampleKernel sample = reductions();
  EXPECT_NEAR(*spread_time(sample.evidence()), 32e6 / 50 / sample.device.clock_hz * 1e9, 1e-6);
}

TEST(AtomicUnits, TakeLongerForWhatMeetsOnOneLine) {
  SampleKernel sample = reductions();
  sample.set({{metric::kL2AtomSectors, 3e6}, {metric::kL2RedSectors, 1e6}});
  const std::optional<AtomicTimes> times = atomic_times(sample.evidence());
  ASSERT_TRUE(times);
  EXPECT_NEAR(times->spread, 4e6 / 50 / sample.device.clock_hz * 1e9, 1e-6);
  EXPECT_NEAR(times->met / times->spread, 100, 1e-9);
}

TEST(AtomicUnits, AreUnknownWithoutCountersOrRates) {
  SampleKernel sample = reductions();
  EXPECT_FALSE(atomic_times(sample.evidence()));
  sample.device.model.erase("atomic_turns");
  EXPECT_FALSE(spread_time(sample.evidence()));
}

/// 1 M tries, each with a load, of which `lanes` of 32 take part on average.
SampleKernel tries_of(double lanes) {
  SampleKernel sample;
  sample.set({{metric::kSharedAtomInst, 1e6},
              {metric::kSharedLoadInst, 1e6},
              {metric::kSharedStoreWavefronts, 0},
              {metric::kGlobalLoadSectors, 0},
              {metric::kGlobalStoreSectors, 0},
              {metric::kThreadsPerInst, lanes}});
  return sample;
}

TEST(AtomicUnits, SeeLanesThatMeetInSharedMemoryByTheirTries) {
  const std::optional<Tries> none = shared_tries(tries_of(32).evidence());
  ASSERT_TRUE(none);
  EXPECT_DOUBLE_EQ(none->sharing, 1);
  EXPECT_DOUBLE_EQ(none->left, 1);
  // Two lanes on each word: all 32 try, then 16, 24 on average.
  const std::optional<Tries> two = shared_tries(tries_of(24).evidence());
  ASSERT_TRUE(two);
  EXPECT_DOUBLE_EQ(two->sharing, 2);
  EXPECT_DOUBLE_EQ(two->left, 0.5);
  EXPECT_DOUBLE_EQ(shared_tries(tries_of(14).evidence())->sharing, 32) << "a whole warp at most";
}

TEST(AtomicUnits, DoNotTakeAdditionsWithoutLoadsForTries) {
  SampleKernel sample = tries_of(14);
  sample.set({{metric::kSharedLoadInst, 1e5}});
  EXPECT_FALSE(shared_tries(sample.evidence()));
  sample.forget(metric::kSharedLoadInst);
  EXPECT_FALSE(shared_tries(sample.evidence())) << "unknown";
}

TEST(AtomicUnits, TellOneAdditionForEachBlockFromMany) {
  SampleKernel sample = reductions();
  sample.set({{metric::kGridSize, 1e6}});
  EXPECT_TRUE(one_for_each_block(sample.evidence()));
  sample.set({{metric::kGridSize, 5e5}});
  EXPECT_FALSE(one_for_each_block(sample.evidence()));
  sample.set({{metric::kGridSize, 1}, {metric::kGlobalRedInst, 1}});
  EXPECT_FALSE(one_for_each_block(sample.evidence())) << "there is only one block";
}

TEST(AtomicUnits, LeaveOneWavefrontForAnInstructionWhoseLanesDoNotMeet) {
  SampleKernel sample;
  sample.set({{metric::kSharedAtomInst, 100},
              {metric::kGlobalLoadSectors, 0},
              {metric::kGlobalStoreSectors, 0}});
  EXPECT_EQ(left_without_meeting(sample.evidence(), 4), 0.25);
  EXPECT_EQ(left_without_meeting(sample.evidence(), 1), 1);
  sample.set({{metric::kSharedLoadWavefronts, 400}});
  EXPECT_EQ(left_without_meeting(sample.evidence(), 4), 0.625) << "other accesses stay";
}

}  // namespace
}  // namespace kp::diagnose

// SPDX-License-Identifier: Apache-2.0
#include "harness/samples.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace kp::harness {
namespace {

constexpr double kClock = 1.98e9;

Pair pair(double candidate, double baseline, double hz = kClock, double other_hz = kClock) {
  return {{candidate, hz}, device::LapTime{baseline, other_hz}};
}

TEST(SamplesTest, TheRatioIsTheMedianOfPairs) {
  Samples samples(Depth::kQuick, kClock);
  const Pair pairs[] = {pair(1, 2), pair(1, 3), pair(1, 100)};
  EXPECT_EQ(samples.add(pairs, {}, {}), 0);
  EXPECT_EQ(samples.speedup()->value, 3);
  EXPECT_EQ(samples.speedup()->pairs, 3);
  EXPECT_EQ(samples.nanoseconds(), 1);
}

TEST(SamplesTest, ALapAtAnotherClockThanUsualIsVoid) {
  Samples samples(Depth::kQuick, kClock);
  const Pair pairs[] = {pair(1, 2), pair(1, 2, 0.99 * kClock, 0.98 * kClock), pair(1, 2),
                        pair(1, 9, 0.7 * kClock), pair(1, 9, kClock, 0.96 * kClock)};
  EXPECT_EQ(samples.add(pairs, {}, {}), 2);
  EXPECT_EQ(samples.speedup()->value, 2);
  EXPECT_EQ(samples.slow_pairs(), 0);
}

TEST(SamplesTest, SidesThatAlwaysRunAtTheirOwnClocksCount) {
  Samples samples(Depth::kQuick, kClock);
  // As tensor cores beside scalar arithmetic on an H200.
  const Pair pairs[] = {pair(1, 11, 1.90e9, 1.98e9), pair(1, 11, 1.89e9, 1.97e9)};
  for (int i = 0; i < 4; ++i) EXPECT_EQ(samples.add(pairs, {}, {}), 0);
  EXPECT_TRUE(samples.check_voids());
  EXPECT_NEAR(*samples.candidate_hz(), 1.895e9, 1e6);
  EXPECT_NEAR(*samples.baseline_hz(), 1.975e9, 1e6);
}

TEST(SamplesTest, WhatIsUsualMayShowLate) {
  Samples samples(Depth::kQuick, kClock);
  const Pair early[] = {pair(1, 2, 0.8 * kClock, 0.8 * kClock)}, later[] = {pair(1, 2), pair(1, 2)};
  EXPECT_EQ(samples.add(early, {}, {}), 0);
  EXPECT_EQ(samples.add(later, {}, {}), 1);
  EXPECT_EQ(samples.pairs(), 2);
}

TEST(SamplesTest, APairWhoseSidesRunAtTheSameLowClockCounts) {
  Samples samples(Depth::kQuick, kClock);
  // As the power limit holds a kernel on tensor cores.
  const Pair pairs[] = {pair(1, 2, 0.68 * kClock, 0.69 * kClock)};
  for (int i = 0; i < 8; ++i) EXPECT_EQ(samples.add(pairs, {}, {}), 0);
  EXPECT_EQ(samples.slow_pairs(), 8);
  EXPECT_TRUE(samples.check_voids());
  const Pair asleep[] = {pair(1, 2, 0.18 * kClock, 0.18 * kClock)};
  EXPECT_EQ(samples.add(asleep, {}, {}), 1) << "the GPU had not woken up";
}

TEST(SamplesTest, ALowClockThatNothingIsComparedWithCountsUnderThePowerLimitOnly) {
  Samples samples(Depth::kQuick, kClock);
  const Pair alone[] = {{{5, 0.7 * kClock}, {}}}, unknown[] = {{{5, 0.7 * kClock}, {{6, {}}}}};
  device::GpuState capped;
  capped.reasons = kPowerCap;
  EXPECT_EQ(samples.add(alone, {}, {}), 1);
  EXPECT_EQ(samples.add(unknown, {}, {}), 1);
  EXPECT_EQ(samples.add(alone, {}, capped), 0);
  EXPECT_EQ(samples.add(unknown, capped, {}), 0);
}

TEST(SamplesTest, ClocksThatAreNotKnownVoidNothing) {
  Samples samples(Depth::kQuick, kClock);
  const Pair pairs[] = {{{1, {}}, {{2, {}}}}, {{1, kClock}, {{2, {}}}}, {{1, {}}, {{2, kClock}}}};
  EXPECT_EQ(samples.add(pairs, {}, {}), 0);
}

TEST(SamplesTest, SaysWhySamplesAreVoid) {
  Samples samples(Depth::kQuick, kClock);
  const Pair slow[] = {pair(1, 2, kClock, 0.3 * kClock)}, good[] = {pair(1, 2)};
  const Pair changed[] = {pair(1, 2, kClock, 0.9 * kClock)};
  device::GpuState hot;
  hot.reasons = 0x40;
  for (int i = 0; i < 7; ++i) samples.add(good, {}, {});
  for (int i = 0; i < 3; ++i) samples.add(slow, {}, {});
  samples.add(changed, hot, {});
  for (int i = 0; i < 2; ++i) samples.add(changed, {}, {});
  const auto checked = samples.check_voids();
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().message,
            "6 of 13 samples are void: 3 at a low clock, 2 at another clock than usual, "
            "1 while heat, power or hardware slowed the GPU; the last ran at 1.98 GHz, beside the "
            "baseline's 1.78 GHz, the highest clock is 1.98 GHz");
}

TEST(SamplesTest, BadReasonsSpoilARound) {
  Samples samples(Depth::kQuick, kClock);
  const Pair pairs[] = {pair(1, 2)};
  device::GpuState power_cap, slowdown;
  power_cap.reasons = 0x4;
  slowdown.reasons = 0x40;
  EXPECT_EQ(samples.add(pairs, power_cap, power_cap), 0);
  EXPECT_EQ(samples.add(pairs, {}, slowdown), 1);
}

TEST(SamplesTest, MoreThanAFifthVoidIsNoMeasurement) {
  Samples samples(Depth::kFinal, kClock);
  const Pair good[] = {pair(1, 2)}, slow[] = {pair(1, 2, 1)};
  for (int i = 0; i < 40; ++i) samples.add(good, {}, {});
  for (int i = 0; i < 10; ++i) samples.add(slow, {}, {});
  EXPECT_TRUE(samples.check_voids());
  samples.add(slow, {}, {});
  const auto checked = samples.check_voids();
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().code, ErrorCode::kBusy);
  EXPECT_FALSE(checked.error().hint.empty());
}

TEST(SamplesTest, AQuickContestOfShortLapsGoesOnWhileTheIntervalIsWide) {
  const auto pairs_taken = [](double nanoseconds, double noise) {
    Samples samples(Depth::kQuick, kClock);
    Random random(7);
    while (!samples.enough()) {
      const Pair one[] = {pair(nanoseconds, nanoseconds * (1 + noise * random.normal()))};
      samples.add(one, {}, {});
    }
    return samples.pairs();
  };
  EXPECT_EQ(pairs_taken(50e3, 0.001), 8);
  EXPECT_EQ(pairs_taken(50e3, 0.3), 40);
  EXPECT_EQ(pairs_taken(500e3, 0.3), 40);
  EXPECT_EQ(pairs_taken(5e6, 0.3), 8);
}

TEST(SamplesTest, AFinalContestGoesOnUntilTheIntervalIsNarrow) {
  Samples quiet(Depth::kFinal, kClock), noisy(Depth::kFinal, kClock);
  Random random(5);
  int quiet_pairs = 0, noisy_pairs = 0;
  for (; !quiet.enough(); ++quiet_pairs) {
    const Pair one[] = {pair(1, 2 * (1 + 0.005 * random.normal()))};
    quiet.add(one, {}, {});
  }
  for (; !noisy.enough(); ++noisy_pairs) {
    const Pair one[] = {pair(1, 2 * (1 + 0.3 * random.normal()))};
    noisy.add(one, {}, {});
  }
  EXPECT_EQ(quiet_pairs, 30);
  EXPECT_EQ(noisy_pairs, 200);
}

TEST(SamplesTest, WithoutABaselineThereIsATimeAndNoRatio) {
  Samples samples(Depth::kQuick, kClock);
  const Pair pairs[] = {{{5, kClock}, {}}, {{7, {}}, {}}, {{6, kClock}, {}}};
  EXPECT_EQ(samples.add(pairs, {}, {}), 0);
  EXPECT_EQ(samples.nanoseconds(), 6);
  EXPECT_FALSE(samples.speedup());
}

}  // namespace
}  // namespace kp::harness

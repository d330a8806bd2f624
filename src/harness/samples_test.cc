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

TEST(SamplesTest, SlowAndChangingClocksAreVoid) {
  Samples samples(Depth::kQuick, kClock);
  const Pair pairs[] = {pair(1, 2), pair(1, 9, 0.7 * kClock), pair(1, 9, kClock, 0.7 * kClock),
                        pair(1, 9, kClock, 0.96 * kClock), pair(1, 2, 0.9 * kClock, 0.88 * kClock)};
  EXPECT_EQ(samples.add(pairs, {}, {}), 3);
  EXPECT_EQ(samples.speedup()->value, 2);
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

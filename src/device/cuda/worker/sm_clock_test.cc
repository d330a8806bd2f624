// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/worker/sm_clock.h"

#include <gtest/gtest.h>

namespace kp::device::cuda {
namespace {

constexpr double kHertz = 1.98e9;

/// An SM that sees an edge of the timer `late` cycles after it, and knows it only to `slack`.
Tick tick_at(std::uint64_t nanoseconds, std::uint64_t late, std::uint64_t slack) {
  const auto cycles = static_cast<std::uint64_t>(static_cast<double>(nanoseconds) * kHertz * 1e-9);
  return {nanoseconds, cycles + late, slack};
}

TEST(SmClock, IsCyclesOverTheTimeBetweenEdges) {
  const Tick before[] = {tick_at(1'000'000, 30, 60)}, after[] = {tick_at(1'200'000, 30, 60)};
  const auto clock = clock_between(before, after);
  ASSERT_TRUE(clock);
  EXPECT_NEAR(*clock, kHertz, 1e-3 * kHertz);
}

TEST(SmClock, OfALapOfTwentyMicrosecondsThatMissedAnEdgeIsAbsent) {
  // The instructions of the first tick came from memory: 1200 cycles late, 2.9 % of the lap. Two
  // laps of different lengths would seem to run at different clocks.
  const Tick before[] = {tick_at(1'000'000, 1200, 1300)}, after[] = {tick_at(1'021'000, 30, 60)};
  EXPECT_FALSE(clock_between(before, after));
  const Tick later[] = {tick_at(1'000'000 + kClockSpan, 30, 60)};
  const auto clock = clock_between(before, later);
  ASSERT_TRUE(clock);
  EXPECT_NEAR(*clock, kHertz, 1e-2 * kHertz);
}

TEST(SmClock, IsTheMedianOfTheSmsThatWereSeenTwice) {
  const Tick before[] = {
      tick_at(1'000'000, 0, 10), {}, tick_at(1'000'000, 0, 10), tick_at(1'000'000, 0, 10)};
  const Tick after[] = {tick_at(1'300'000, 0, 10),
                        tick_at(1'300'000, 0, 10),
                        {},
                        {1'300'000, 1'980'000 + 200'000, 10}};
  const auto clock = clock_between(before, after);
  ASSERT_TRUE(clock);
  EXPECT_NEAR(*clock, kHertz, 1e-3 * kHertz);
}

TEST(SmClock, IsAbsentWhereNoTickCameOrTimeStoodStill) {
  EXPECT_FALSE(clock_between({}, {}));
  const Tick nothing[] = {{}}, once[] = {tick_at(1'000'000, 0, 10)};
  EXPECT_FALSE(clock_between(nothing, once));
  EXPECT_FALSE(clock_between(once, nothing));
  EXPECT_FALSE(clock_between(once, once));
}

}  // namespace
}  // namespace kp::device::cuda

// SPDX-License-Identifier: Apache-2.0
#include "harness/contest_shape.h"

#include <gtest/gtest.h>

#include <set>

namespace kp::harness {
namespace {

DeviceSpec spec() {
  DeviceSpec spec;
  spec.memory_bytes = 140'000'000'000;
  spec.l2_bytes = 50'000'000;
  return spec;
}

ContestShape shape(double nanoseconds, std::uint64_t bytes, Depth depth) {
  const DeviceSpec device = spec();
  return shape_for({.depth = depth,
                    .set_bytes = bytes,
                    .lap_nanoseconds = {nanoseconds, nanoseconds},
                    .spec = device});
}

TEST(ContestShapeTest, ShortRunsShareALapWithASetEach) {
  const ContestShape small = shape(5e3, 1 << 20, Depth::kFinal);
  EXPECT_EQ(small.per_lap, 40u);
  EXPECT_GE(small.laps, 2u);
  EXPECT_LE(small.sets(), 256u);
  EXPECT_EQ(shape(50e3, 1 << 20, Depth::kFinal).per_lap, 1u);
}

TEST(ContestShapeTest, RotationIsWiderThanL2WhereMemoryAllows) {
  const ContestShape rotating = shape(50e3, 4 << 20, Depth::kFinal);
  EXPECT_GE(2 * rotating.sets() * (4u << 20), 4u * 50'000'000u);
}

TEST(ContestShapeTest, LargeSetsStayWithinMemory) {
  const ContestShape huge = shape(2.7e6, 12'800'000'000, Depth::kFinal);
  EXPECT_GE(huge.laps, 1u);
  EXPECT_LE(2 * static_cast<double>(huge.sets()) * 12.8e9, 0.4 * 140e9);
}

TEST(ContestShapeTest, SetsLeaveTheMemoryThatAnswersTake) {
  const DeviceSpec device = spec();
  const ContestShape beside = shape_for({.depth = Depth::kFinal,
                                         .set_bytes = 4'000'000'000,
                                         .other_bytes = 110'000'000'000,
                                         .lap_nanoseconds = {2.7e6, 2.7e6},
                                         .spec = device});
  EXPECT_EQ(beside.sets(), 2u);
  const ContestShape alone = shape(2.7e6, 4'000'000'000, Depth::kFinal);
  EXPECT_EQ(alone.sets(), 7u);
}

TEST(ContestShapeTest, PairsAlternateAndUseEverySetOnce) {
  const ContestShape four{.laps = 4, .per_lap = 2};
  const auto laps = laps_of(four, 2, true);
  std::vector<int> order;
  std::set<int> seen[2];
  for (const device::Lap& lap : laps) {
    order.push_back(lap.contender);
    for (const int set : lap.sets) EXPECT_TRUE(seen[lap.contender].insert(set).second);
  }
  EXPECT_EQ(order, (std::vector<int>{0, 1, 1, 0, 0, 1, 1, 0}));
  EXPECT_EQ(seen[0].size(), 8u);
  EXPECT_EQ(laps_of(four, 1, true).size(), 4u);
}

TEST(ContestShapeTest, ACandidateMayTakeTwentyTimesTheBaselineAndTwoSeconds) {
  EXPECT_DOUBLE_EQ(deadline_for(0), 2);
  EXPECT_DOUBLE_EQ(deadline_for(50e6), 3);
}

}  // namespace
}  // namespace kp::harness

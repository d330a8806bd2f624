// SPDX-License-Identifier: Apache-2.0
#include "vgpu/order.h"

#include <gtest/gtest.h>

#include "vgpu/races.h"

namespace kp::vgpu {
namespace {

TEST(Order, AMeetingTellsWhatWasBeforeIt) {
  Releases releases;
  Order order(4, releases);
  order.begin(0);
  const Epoch first = order.now(0);
  EXPECT_FALSE(order.knows(1, first));
  order.meet(std::vector<std::uint32_t>{0, 1});
  EXPECT_TRUE(order.knows(1, first));
  EXPECT_FALSE(order.knows(2, first));
  EXPECT_FALSE(order.knows(1, order.now(0)));
}

TEST(Order, WhoOnlyArrivesLearnsNothing) {
  Releases releases;
  Order order(2, releases);
  order.begin(0);
  const Epoch producer = order.now(0), consumer = order.now(1);
  order.arrive(0, 1);
  order.arrive(1, 1);
  order.leave(1, std::vector<std::uint32_t>{1});
  EXPECT_TRUE(order.knows(1, producer));
  EXPECT_FALSE(order.knows(0, consumer));
  EXPECT_FALSE(order.knows(1, order.now(0)));
}

TEST(Order, KnowledgeTravelsThroughReleasesOfOtherBlocks) {
  Releases releases;
  Order first(2, releases), second(2, releases), third(2, releases);
  first.begin(0);
  second.begin(1);
  third.begin(2);
  const Epoch written = first.now(0);
  first.meet(std::vector<std::uint32_t>{0, 1});
  const int a = first.release(1, -1);  // thread 1 hands on what thread 0 did
  second.acquire(0, a);
  EXPECT_TRUE(second.knows(0, written));
  EXPECT_FALSE(second.knows(1, written));
  const int b = second.release(0, -1);
  third.acquire(1, b);
  EXPECT_TRUE(third.knows(1, written));
  EXPECT_FALSE(third.knows(1, first.now(1)));
}

TEST(Races, ReadersAreRememberedUntilAnOrderedWrite) {
  Releases releases;
  Order order(4, releases);
  order.begin(0);
  RaceShadow shadow(64);
  EXPECT_FALSE(shadow.touch({order, 0, 1}, Touch::kRead, 8, 4));
  EXPECT_FALSE(shadow.touch({order, 1, 1}, Touch::kRead, 8, 4));
  const auto conflict = shadow.touch({order, 2, 7}, Touch::kWrite, 8, 4);
  ASSERT_TRUE(conflict);
  EXPECT_FALSE(conflict->was_write);
  EXPECT_EQ(conflict->pc, 1u);
  order.meet(std::vector<std::uint32_t>{0, 1, 2, 3});
  EXPECT_FALSE(shadow.touch({order, 3, 7}, Touch::kWrite, 8, 4));
  EXPECT_TRUE(shadow.touch({order, 0, 7}, Touch::kRead, 8, 4));
}

TEST(Races, BytesOfAWordAreApart) {
  Releases releases;
  Order order(2, releases);
  order.begin(0);
  RaceShadow shadow(64);
  EXPECT_FALSE(shadow.touch({order, 0, 1}, Touch::kWrite, 4, 2));
  EXPECT_FALSE(shadow.touch({order, 1, 1}, Touch::kWrite, 6, 2));
  EXPECT_TRUE(shadow.touch({order, 0, 1}, Touch::kRead, 4, 4));
}

}  // namespace
}  // namespace kp::vgpu

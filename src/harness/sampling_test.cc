// SPDX-License-Identifier: Apache-2.0
#include "harness/sampling.h"

#include <gtest/gtest.h>

#include <array>

#include "model/metric_keys.h"

namespace kp::harness {
namespace {

TEST(AffordableBlocks, AreAsManyAsWantedWhenTheyAreCheap) {
  const std::array costs{LaunchCost{100'000, 10}};
  EXPECT_EQ(affordable_blocks(costs, 1e6, 132, 1056), 1056u);
}

TEST(AffordableBlocks, SpendTheInstructionsAndNoMore) {
  const std::array costs{LaunchCost{100'000, 1000}};
  EXPECT_EQ(affordable_blocks(costs, 500'000, 132, 1056), 500u);
  const std::array two{LaunchCost{100'000, 1000}, LaunchCost{100, 2000}};
  EXPECT_EQ(affordable_blocks(two, 500'000, 132, 1056), 300u);
}

TEST(AffordableBlocks, AreNeverLessThanTheLeast) {
  const std::array costs{LaunchCost{4096, 1e9}};
  EXPECT_EQ(affordable_blocks(costs, 1e6, 132, 1056), 132u);
  EXPECT_EQ(affordable_blocks(costs, 1e6, 132, 50), 50u);
}

TEST(LaunchCosts, AreTheInstructionsOfABlock) {
  device::BoundLaunch launch;
  launch.shape.grid[0] = 10;
  launch.shape.grid[1] = 4;
  const std::array<device::BoundStep, 2> steps{device::BoundZero{}, launch};
  device::TimeReport report;
  report.launches.emplace_back().step = 1;
  report.launches[0].metrics.set(metric::kInstructions, 8000, Grade::kModelled);
  const auto costs = launch_costs(steps, report);
  ASSERT_EQ(costs.size(), 1u);
  EXPECT_EQ(costs[0].blocks, 40u);
  EXPECT_EQ(costs[0].instructions_per_block, 200);
}

}  // namespace
}  // namespace kp::harness

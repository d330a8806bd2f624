// SPDX-License-Identifier: Apache-2.0
// Values: divergence, collectives, barriers, atomics, memory, schedules.
#include <numeric>

#include "vgpu/machine_fixture.h"

namespace kp::vgpu {
namespace {

/// Every test runs in each mode: modes differ in what they notice, never in values.
class Execute : public MachineTest, public testing::WithParamInterface<Mode> {
 protected:
  Execute() : MachineTest("execute") { memory_.set_shadows(GetParam() == Mode::kCheck); }
  RunOptions options() const { return {.mode = GetParam(), .instruction_budget = 500'000}; }
  void expect_clean(const LaunchResult& result) {
    EXPECT_FALSE(result.fault) << result.fault->message << " at " << to_string(result.fault->spot);
    EXPECT_FALSE(result.out_of_budget);
    EXPECT_GT(result.instructions, 0u);
  }
};
std::string mode_name(const testing::TestParamInfo<Mode>& each) {
  if (each.param == Mode::kCheck) return "check";
  return each.param == Mode::kCount ? "count" : "values";
}
INSTANTIATE_TEST_SUITE_P(Modes, Execute, testing::Values(Mode::kValues, Mode::kCheck, Mode::kCount),
                         mode_name);

TEST_P(Execute, LanesBehindTheEndStayAway) {
  const int n = 1000;
  std::vector<float> x(n), y(n);
  for (int i = 0; i < n; ++i) x[std::size_t(i)] = float(i), y[std::size_t(i)] = 1;
  const auto px = tensor("x", x), py = tensor("y", y);
  expect_clean(launch("saxpy", grid_of(4, 256), options(), 2.0f, px, py, n));
  const auto got = values<float>(py, n);
  for (int i = 0; i < n; ++i) ASSERT_EQ(got[std::size_t(i)], 2.0f * float(i) + 1) << i;
}

int collatz(int v) {
  int steps = 0;
  while (v != 1) {
    if (v % 2 == 0) {
      v /= 2;
    } else {
      if (v % 3 == 0) steps += 100;
      v = 3 * v + 1;
    }
    ++steps;
  }
  return steps;
}

TEST_P(Execute, LanesLeaveALoopEachInItsOwnTime) {
  std::vector<int> x(256);
  std::iota(x.begin(), x.end(), 1);
  const auto px = tensor("x", x), py = output<int>("y", 256);
  expect_clean(launch("nested", grid_of(2, 128), options(), px, py));
  const auto got = values<int>(py, 256);
  for (std::size_t i = 0; i < 256; ++i) ASSERT_EQ(got[i], collatz(x[i])) << i;
}

TEST_P(Execute, BlockReductionAddsEverything) {
  std::vector<float> x(5000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = float(i % 17);
  const auto px = tensor("x", x), py = output<float>("sums", 3);
  expect_clean(launch("block_sum", grid_of(3, 256), options(), px, py, int(x.size())));
  const auto got = values<float>(py, 3);
  EXPECT_EQ(got[0] + got[1] + got[2], std::accumulate(x.begin(), x.end(), 0.0f));
}

TEST_P(Execute, LanesOfOneWarpTakeTurnsAtALock) {
  const auto lock = tensor("lock", std::vector<int>{0}),
             count = tensor("count", std::vector<int>{0});
  expect_clean(launch("lane_lock", grid_of(2, 64), options(), lock, count));
  EXPECT_EQ(values<int>(count, 1)[0], 128);
}

TEST_P(Execute, AtomicsCountEachElementOnce) {
  std::vector<unsigned> x(3000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = unsigned(i * i);
  const auto px = tensor("x", x), bins = tensor("bins", std::vector<unsigned>(16));
  expect_clean(launch("histogram", grid_of(8, 128), options(), px, bins, int(x.size())));
  std::vector<unsigned> expected(16);
  for (const unsigned each : x) ++expected[each % 16];
  EXPECT_EQ(values<unsigned>(bins, 16), expected);
}

TEST_P(Execute, NamedBarriersHandOverFromProducersToConsumers) {
  std::vector<int> x(64 * 5);
  std::iota(x.begin(), x.end(), 0);
  const auto px = tensor("x", x), py = output<int>("y", x.size());
  expect_clean(launch("named_barriers", grid_of(2, 128), options(), px, py, 5));
  const auto got = values<int>(py, x.size());
  for (int i = 0; i < 320; ++i) ASSERT_EQ(got[std::size_t(i)], i / 64 * 64 + 63 - i % 64);
}

TEST_P(Execute, BarriersCountAndCombinePredicates) {
  std::vector<int> x(128, 1);
  x[3] = x[77] = 0;
  const auto px = tensor("x", x), py = output<int>("y", 3 * 128);
  expect_clean(launch("votes", grid_of(1, 128), options(), px, py));
  const auto got = values<int>(py, 3 * 128);
  EXPECT_EQ(got[5], 126);
  EXPECT_EQ(got[128 + 5], 0);
  EXPECT_EQ(got[256 + 5], 0);
}

TEST_P(Execute, GridBarrierOrdersAllBlocks) {
  const auto px = output<int>("x", 640), py = output<int>("y", 640);
  Grid grid = grid_of(10, 64);
  grid.cooperative = true;
  expect_clean(launch("grid_barrier", grid, options(), px, py));
  const auto got = values<int>(py, 640);
  for (int i = 0; i < 640; ++i) ASSERT_EQ(got[std::size_t(i)], 639 - i);
}

TEST_P(Execute, LastBlockSeesWhatAllBlocksWrote) {
  std::vector<float> x(4096);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = float(i % 5);
  const auto px = tensor("x", x), part = output<float>("part", 12),
             count = tensor("count", std::vector<unsigned>{0}), py = output<float>("y", 1);
  for (int round = 0; round < 2; ++round) {
    expect_clean(
        launch("last_block", grid_of(12, 128), options(), px, part, count, py, int(x.size())));
    EXPECT_EQ(values<float>(py, 1)[0], std::accumulate(x.begin(), x.end(), 0.0f));
  }
}

TEST_P(Execute, ModuleVariablesKeepTheirContentUntilReset) {
  const auto py = output<int>("y", 1);
  for (const int expected : {5, 6}) {
    expect_clean(launch("count_up", grid_of(1, 1), options(), py));
    EXPECT_EQ(values<int>(py, 1)[0], expected);
  }
  machine_.reset();
  expect_clean(launch("count_up", grid_of(1, 1), options(), py));
  EXPECT_EQ(values<int>(py, 1)[0], 5);
}

TEST_P(Execute, EachThreadHasLocalMemoryOfItsOwn) {
  std::vector<int> order(16);
  for (std::size_t i = 0; i < 16; ++i) order[i] = int(i * 7 % 16);
  const auto px = tensor("order", order), py = output<int>("y", 96);
  expect_clean(launch("local_array", grid_of(1, 96), options(), px, py));
  const auto got = values<int>(py, 96);
  for (int t = 0; t < 96; ++t) {
    int sum = 0;
    for (int i = 0; i < 16; ++i) sum += (t * 100 + order[std::size_t(i)]) * i;
    ASSERT_EQ(got[std::size_t(t)], sum) << t;
  }
}

TEST_P(Execute, LanesWithDifferentMemberMasksFormGroups) {
  std::vector<int> x(32), expected(3);
  for (std::size_t i = 0; i < 32; ++i) x[i] = int(i % 3), expected[i % 3] += int(i);
  const auto px = tensor("x", x), py = output<int>("y", 32);
  expect_clean(launch("groups", grid_of(1, 32), options(), px, py));
  const auto got = values<int>(py, 32);
  for (std::size_t i = 0; i < 32; ++i) ASSERT_EQ(got[i], expected[i % 3]);
}

TEST_P(Execute, ARunawayKernelEndsAtItsBudget) {
  const auto py = tensor("y", std::vector<int>{0});
  const auto result = launch("endless", grid_of(2, 32), options(), py);
  EXPECT_TRUE(result.out_of_budget);
  EXPECT_FALSE(result.fault);
}

TEST_P(Execute, ATrapEndsTheLaunch) {
  const auto calm = tensor("y", std::vector<int>(33, 0)),
             bad = tensor("z", std::vector<int>(33, 1));
  expect_clean(launch("stop_here", grid_of(1, 32), options(), calm));
  const auto result = launch("stop_here", grid_of(1, 32), options(), bad);
  ASSERT_TRUE(result.fault);
  EXPECT_EQ(result.fault->kind, FaultKind::kTrap);
}

TEST_P(Execute, AStopRequestEndsALaunch) {
  StopFlag stop;
  stop.request();
  RunOptions stopped = options();
  stopped.stop = &stop;
  const auto py = tensor("y", std::vector<int>{0});
  EXPECT_TRUE(launch("endless", grid_of(1, 32), stopped, py).stopped);
}

TEST_P(Execute, APermutedScheduleGivesTheSameValues) {
  std::vector<float> x(5000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = float(i % 17);
  const auto px = tensor("x", x), py = output<float>("sums", 9);
  expect_clean(launch("block_sum", grid_of(9, 256), options(), px, py, int(x.size())));
  const auto natural = values<float>(py, 9);
  for (const std::uint64_t seed : {1u, 2u, 77u}) {
    memory_.write(py, std::vector<std::byte>(36));
    RunOptions permuted = options();
    permuted.schedule_seed = seed;
    expect_clean(launch("block_sum", grid_of(9, 256), permuted, px, py, int(x.size())));
    EXPECT_EQ(values<float>(py, 9), natural);
  }
}

}  // namespace
}  // namespace kp::vgpu

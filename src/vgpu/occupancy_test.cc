// SPDX-License-Identifier: Apache-2.0
#include "vgpu/occupancy.h"

#include <gtest/gtest.h>

#include "vgpu/hand_programs.h"

namespace kp::vgpu {
namespace {

struct OccupancyCase {
  unsigned registers, threads;
  std::uint64_t shared_bytes;
  int blocks, warps;
};
class OccupancyTable : public testing::TestWithParam<OccupancyCase> {};
// What cuda_occupancy.h computes for compute capability 9.0.
TEST_P(OccupancyTable, MatchesTheCalculator) {
  const OccupancyCase& expected = GetParam();
  const Occupancy result = occupancy(h200(), {.threads = expected.threads,
                                              .registers = expected.registers,
                                              .shared_bytes = expected.shared_bytes});
  EXPECT_EQ(result.blocks_per_sm, expected.blocks);
  EXPECT_DOUBLE_EQ(result.fraction, expected.warps / 64.0);
}
INSTANTIATE_TEST_SUITE_P(
    H200, OccupancyTable,
    testing::Values(OccupancyCase{33, 256, 0, 6, 48}, OccupancyCase{64, 256, 0, 4, 32},
                    OccupancyCase{128, 256, 0, 2, 16}, OccupancyCase{168, 384, 200 << 10, 1, 12},
                    OccupancyCase{96, 512, 48 << 10, 1, 16}, OccupancyCase{32, 32, 0, 32, 32},
                    OccupancyCase{128, 1024, 0, 0, 0}));

TEST(Occupancy, NamesWhatLimitsIt) {
  const auto limiter = [](unsigned registers, unsigned threads, std::uint64_t shared) {
    return occupancy(h200(), {.threads = threads, .registers = registers, .shared_bytes = shared})
        .limiter();
  };
  EXPECT_EQ(limiter(64, 256, 0), "registers");
  EXPECT_EQ(limiter(32, 128, 100 << 10), "shared memory");
  EXPECT_EQ(limiter(32, 256, 0), "registers");  // 8 blocks by registers and by warps
  EXPECT_EQ(limiter(16, 256, 0), "warps");
  EXPECT_EQ(limiter(16, 32, 0), "blocks");
}

TEST(Occupancy, DoesNotLaunchBeyondTheLimits) {
  EXPECT_EQ(occupancy(h200(), {.threads = 1025, .registers = 16}).blocks_per_sm, 0);
  EXPECT_EQ(occupancy(h200(), {.threads = 0, .registers = 16}).blocks_per_sm, 0);
  EXPECT_EQ(occupancy(h200(), {.threads = 32, .registers = 16, .shared_bytes = (227 << 10) + 1})
                .blocks_per_sm,
            0);
  EXPECT_EQ(
      occupancy(h200(), {.threads = 32, .registers = 16, .shared_bytes = 227 << 10}).blocks_per_sm,
      1);
}

struct RegistersCase {
  int warps, registers;
};
class RegistersTable : public testing::TestWithParam<RegistersCase> {};
TEST_P(RegistersTable, GivesTheMostForThatManyWarps) {
  const auto [warps, registers] = GetParam();
  // Blocks of four warps: one on each scheduler.
  EXPECT_EQ(registers_for(h200(), {.threads = 128}, warps / 4), registers);
}
INSTANTIATE_TEST_SUITE_P(H200, RegistersTable,
                         testing::Values(RegistersCase{64, 32}, RegistersCase{48, 40},
                                         RegistersCase{32, 64}, RegistersCase{24, 80},
                                         RegistersCase{20, 96}, RegistersCase{16, 128},
                                         RegistersCase{12, 168}, RegistersCase{8, 248}));

TEST(RegistersFor, SaysWhenNoNumberHelps) {
  EXPECT_EQ(registers_for(h200(), {.threads = 1024}, 3), 0);
}

TEST(SharedFor, GivesTheMostThatStillFits) {
  const BlockResources block{.threads = 256, .registers = 32};
  for (const int blocks : {1, 2, 3, 5, 8}) {
    BlockResources tight = block;
    tight.shared_bytes = static_cast<std::uint64_t>(shared_for(h200(), block, blocks));
    EXPECT_GE(occupancy(h200(), tight).blocks_per_sm, blocks);
    tight.shared_bytes += 1;
    EXPECT_LT(occupancy(h200(), tight).blocks_per_sm, blocks);
  }
  EXPECT_EQ(shared_for(h200(), block, 9), 0);
}

}  // namespace
}  // namespace kp::vgpu

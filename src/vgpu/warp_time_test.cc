// SPDX-License-Identifier: Apache-2.0
#include "vgpu/warp_time.h"

#include <gtest/gtest.h>

#include "vgpu/hand_programs.h"
#include "vgpu/memory.h"
#include "vgpu/time_model.h"

namespace kp::vgpu {
namespace {

using ptx::Space;

/// Counts in which every instruction ran once in one warp; loads missed every cache.
GridCounters once(const Program& program) {
  SmCounters sm(program, h200(), 0);
  sm.block_begin(1);
  for (std::uint32_t pc = 0; pc < program.code.size(); ++pc) {
    sm.issue(pc, kFullWarp, kFullWarp);
    if (program.code[pc].kind != Kind::kLoad) continue;
    sm.global(pc, lane_addresses(kGlobalWindow + pc * 128, 4), kFullWarp, 4);
  }
  std::vector<SmCounters> sms;
  sms.push_back(std::move(sm));
  return GridCounters(program, h200(), std::move(sms), 1);
}

double cycles_of(const HandProgram& hand) {
  return warp_life(hand.program, once(hand.program), *time_constants(h200())).cycles;
}

TEST(WarpTime, IndependentLoadsWaitTogether) {
  HandProgram together, apart;
  for (unsigned i = 0; i < 4; ++i) together.memory(Kind::kLoad, Space::kGlobal, 1 + i);
  for (unsigned i = 0; i < 4; ++i) together.alu(Class::kFadd, 10 + i, 1 + i);
  for (unsigned i = 0; i < 4; ++i) {
    apart.memory(Kind::kLoad, Space::kGlobal, 1 + i);
    apart.alu(Class::kFadd, 10 + i, 1 + i);
    apart.barrier();  // nothing moves across
  }
  EXPECT_LT(cycles_of(together), 1.1 * time_constants(h200())->latency_dram);
  EXPECT_GT(cycles_of(apart), 3.5 * time_constants(h200())->latency_dram);
}

TEST(WarpTime, LoadsMoveUpAsACompilerMovesThem) {
  HandProgram interleaved, stored;
  for (unsigned i = 0; i < 4; ++i) {
    interleaved.memory(Kind::kLoad, Space::kGlobal, 1 + i);
    interleaved.alu(Class::kFadd, 10, 1 + i);
    stored.memory(Kind::kLoad, Space::kGlobal, 1 + i);
    stored.alu(Class::kFadd, 10, 1 + i);
    stored.memory(Kind::kStore, Space::kGlobal, 10);  // might be what the next load reads
  }
  EXPECT_LT(cycles_of(interleaved), 1.1 * time_constants(h200())->latency_dram);
  EXPECT_GT(cycles_of(stored), 3.5 * time_constants(h200())->latency_dram);
}

TEST(WarpTime, ADependentChainWaitsForEachResult) {
  HandProgram chain, wide;
  for (unsigned i = 0; i < 16; ++i) chain.alu(Class::kFfma, 1, 1);
  for (unsigned i = 0; i < 16; ++i) wide.alu(Class::kFfma, 1 + i, 1 + i);
  EXPECT_NEAR(cycles_of(chain), 15 * 4 + 1, 1e-9);
  EXPECT_NEAR(cycles_of(wide), 16, 1e-9);
}

TEST(WarpTime, AWarpWaitsForWhoMadeTheOperand) {
  HandProgram hand;
  hand.memory(Kind::kLoad, Space::kGlobal, 1);
  hand.alu(Class::kFfma, 2, 1);           // waits for memory
  hand.alu(Class::kFfma, 3, 2);           // for arithmetic
  hand.alu(Class::kCommunication, 4, 3);  // for arithmetic
  hand.alu(Class::kFfma, 5, 4);           // for the shuffle
  hand.barrier();
  const auto constants = *time_constants(h200());
  const WarpLife life = warp_life(hand.program, once(hand.program), constants);
  EXPECT_NEAR(life.waited(WaitReason::kLongScoreboard), constants.latency_dram - 1, 1e-9);
  EXPECT_NEAR(life.waited(WaitReason::kFixedLatency), 2 * (constants.latency_alu - 1), 1e-9);
  EXPECT_NEAR(life.waited(WaitReason::kShortScoreboard), constants.latency_shuffle - 1, 1e-9);
  EXPECT_NEAR(life.waited(WaitReason::kBarrier),
              constants.barrier_cycles + constants.barrier_warp_cycles, 1e-9);
  EXPECT_EQ(life.waited(WaitReason::kDrain), 0);
  double waits = 0;
  for (const double cycles : life.waits) waits += cycles;
  EXPECT_NEAR(life.cycles, waits + 6, 1e-9);  // six instructions
}

TEST(WarpTime, AWarpEndsWhenItsStoresHaveReachedTheL2) {
  HandProgram hand;
  hand.memory(Kind::kStore, Space::kGlobal, 1);
  hand.program.code.push_back({.kind = Kind::kExit, .cls = Class::kControl});
  SmCounters sm(hand.program, h200(), 0);
  sm.block_begin(1);
  for (std::uint32_t pc = 0; pc < 2; ++pc) sm.issue(pc, kFullWarp, kFullWarp);
  sm.global(0, lane_addresses(kGlobalWindow, 4), kFullWarp, 4);
  std::vector<SmCounters> sms;
  sms.push_back(std::move(sm));
  const GridCounters counters(hand.program, h200(), std::move(sms), 1);
  const auto constants = *time_constants(h200());
  const WarpLife life = warp_life(hand.program, counters, constants);
  EXPECT_NEAR(life.waited(WaitReason::kDrain), constants.latency_l2 - 1, 1e-9);
  MetricSet metrics;
  add_throughputs(metrics, h200(), hand.program, counters, {.blocks = 1, .threads = 32});
  EXPECT_GT(*metrics.get(metric::kWaitDrain), 90);
  EXPECT_EQ(*metrics.get(metric::kWaitBarrier), 0);
  EXPECT_EQ(*metrics.get(metric::kModelAtomics), 0);
}

TEST(WarpTime, ALoopWaitsForWhatItCarries) {
  HandProgram loop;
  loop.alu(Class::kFfma, 1, 2);
  loop.branch(0);
  HandProgram carried;
  carried.alu(Class::kFfma, 1, 1);
  carried.branch(0);
  EXPECT_GT(cycles_of(carried), cycles_of(loop));
}

}  // namespace
}  // namespace kp::vgpu

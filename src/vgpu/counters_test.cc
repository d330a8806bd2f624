// SPDX-License-Identifier: Apache-2.0
#include "vgpu/counters.h"

#include <gtest/gtest.h>

#include "vgpu/hand_programs.h"
#include "vgpu/memory.h"

namespace kp::vgpu {
namespace {

using ptx::Space;

/// Feeds one warp instruction with all lanes active.
void run_global(SmCounters& sm, std::uint32_t pc, std::uint64_t start, std::uint64_t stride,
                unsigned lane_bytes = 4) {
  sm.issue(pc, kFullWarp, kFullWarp);
  sm.global(pc, lane_addresses(start, stride), kFullWarp, lane_bytes);
}

GridCounters total(const Program& program, SmCounters sm, std::uint64_t blocks) {
  std::vector<SmCounters> sms;
  sms.push_back(std::move(sm));
  return GridCounters(program, h200(), std::move(sms), blocks);
}

double metric_of(const MetricSet& metrics, const MetricKey& key) {
  const std::optional<double> value = metrics.get(key);
  EXPECT_TRUE(value.has_value()) << key.name;
  return value.value_or(-1);
}

TEST(Counters, SeeAStreamingCopyAsItIs) {
  HandProgram hand;
  const std::uint32_t load = hand.memory(Kind::kLoad, Space::kGlobal, 1);
  const std::uint32_t store = hand.memory(Kind::kStore, Space::kGlobal, 1);
  SmCounters sm(hand.program, h200(), 0);
  sm.block_begin(100);
  for (std::uint64_t i = 0; i < 100; ++i) {
    run_global(sm, load, kGlobalWindow + i * 128, 4);
    run_global(sm, store, kGlobalWindow + 0x10'0000 + i * 128, 4);
  }
  const MetricSet metrics = metrics_of(hand.program, total(hand.program, std::move(sm), 1));
  EXPECT_EQ(metric_of(metrics, metric::kGlobalLoadSectors), 400);
  EXPECT_EQ(metric_of(metrics, metric::kGlobalLoadRequests), 100);
  EXPECT_EQ(metric_of(metrics, metric::kLoadBytesPerSector), 32);
  EXPECT_EQ(metric_of(metrics, metric::kLoadWidth), 4);
  EXPECT_EQ(metric_of(metrics, metric::kLoadUnitStride), 100);
  EXPECT_EQ(metric_of(metrics, metric::kGlobalStoreSectors), 400);
  EXPECT_EQ(metric_of(metrics, metric::kDramRead), 12'800);
  EXPECT_EQ(metric_of(metrics, metric::kDramWrite), 0);  // all of it is still in the L2
  EXPECT_EQ(metric_of(metrics, metric::kL1HitRate), 0);
  EXPECT_EQ(metric_of(metrics, metric::kL2SectorsFromL1), 800);
  EXPECT_EQ(metric_of(metrics, metric::kInstructions), 200);
  EXPECT_EQ(metric_of(metrics, metric::kSampledPct), 100);
}

TEST(Counters, LeaveUnknownWhatNothingAsked) {
  HandProgram hand;
  const std::uint32_t add = hand.alu(Class::kFadd, 1, 1);
  SmCounters sm(hand.program, h200(), 0);
  sm.block_begin(1);
  sm.issue(add, 0xff, 0xffff);
  const MetricSet metrics = metrics_of(hand.program, total(hand.program, std::move(sm), 1));
  EXPECT_FALSE(metrics.get(metric::kL1HitRate));
  EXPECT_FALSE(metrics.get(metric::kLoadBytesPerSector));
  EXPECT_FALSE(metrics.get(metric::kLoadUnitStride));
  EXPECT_FALSE(metrics.get(metric::kGlobalAtomicSharing));
  EXPECT_FALSE(metrics.get(metric::kSharedAtomicSharing));
  EXPECT_FALSE(metrics.get(metric::kAtomicHotness));
  EXPECT_EQ(metric_of(metrics, metric::kFadd), 8);
  EXPECT_EQ(metric_of(metrics, metric::kThreadsPerInst), 16);
  EXPECT_EQ(metric_of(metrics, metric::kThreadsPredOnPerInst), 8);
}

TEST(Counters, HitTheL1OnTheSecondPassAndNotAfterAStore) {
  HandProgram hand;
  const std::uint32_t load = hand.memory(Kind::kLoad, Space::kGlobal, 1);
  const std::uint32_t store = hand.memory(Kind::kStore, Space::kGlobal, 1);
  SmCounters sm(hand.program, h200(), 0);
  sm.block_begin(1);
  run_global(sm, load, kGlobalWindow, 4);
  run_global(sm, load, kGlobalWindow, 4);          // hits
  run_global(sm, store, kGlobalWindow + 4096, 4);  // allocates nothing
  run_global(sm, load, kGlobalWindow + 4096, 4);   // misses the L1, hits the L2
  const GridCounters counters = total(hand.program, std::move(sm), 1);
  EXPECT_EQ(counters.l1_sectors, 12u);
  EXPECT_EQ(counters.l1_hits, 4u);
  EXPECT_EQ(counters.dram_read_bytes, 128);
}

TEST(Counters, GoPastTheL1WhereTheLoadAsksForIt) {
  HandProgram hand;
  const std::uint32_t load = hand.memory(Kind::kLoad, Space::kGlobal, 1);
  hand.access_of(load).bypass_l1 = true;
  SmCounters sm(hand.program, h200(), 0);
  sm.block_begin(1);
  for (int i = 0; i < 2; ++i) run_global(sm, load, kGlobalWindow, 4);
  const GridCounters counters = total(hand.program, std::move(sm), 1);
  EXPECT_EQ(counters.l1_hits, 0u);
  EXPECT_EQ(counters.l2_sectors, 8u);
  EXPECT_EQ(counters.dram_read_bytes, 128);
}

TEST(Counters, SharedMemoryLeavesLessL1) {
  HandProgram hand;
  const std::uint32_t load = hand.memory(Kind::kLoad, Space::kGlobal, 1);
  const auto hits_with = [&](std::uint64_t shared) {
    SmCounters sm(hand.program, h200(), shared, 1024);
    sm.block_begin(1);
    for (int pass = 0; pass < 2; ++pass) {
      for (std::uint64_t i = 0; i < 1000; ++i) run_global(sm, load, kGlobalWindow + i * 128, 4);
    }
    return total(hand.program, std::move(sm), 1).l1_hits;
  };
  EXPECT_GT(hits_with(0), 3900u);          // 125 KiB in 256 KiB
  EXPECT_LT(hits_with(200 << 10), 2000u);  // in 55 KiB
}

TEST(Counters, CountConflictsOfTheTransposedTile) {
  HandProgram hand;
  const std::uint32_t store = hand.memory(Kind::kStore, Space::kShared, 1);
  const std::uint32_t load = hand.memory(Kind::kLoad, Space::kShared, 1);
  SmCounters sm(hand.program, h200(), 4096);
  sm.block_begin(1);
  sm.issue(store, kFullWarp, kFullWarp);
  sm.shared(store, lane_offsets(4), kFullWarp, 4);
  sm.issue(load, kFullWarp, kFullWarp);
  sm.shared(load, lane_offsets(128), kFullWarp, 4);
  const MetricSet metrics = metrics_of(hand.program, total(hand.program, std::move(sm), 1));
  EXPECT_EQ(metric_of(metrics, metric::kSharedStoreConflicts), 0);
  EXPECT_EQ(metric_of(metrics, metric::kSharedLoadConflicts), 31);
  EXPECT_EQ(metric_of(metrics, metric::kSharedLoadWavefronts), 32);
  EXPECT_EQ(metric_of(metrics, metric::kSharedLoadInst), 1);
}

TEST(Counters, TellHowLanesShareTheAddressesOfAtomics) {
  HandProgram hand;
  const std::uint32_t red = hand.memory(Kind::kAtomic, Space::kGlobal, 1);
  const std::uint32_t local = hand.memory(Kind::kAtomic, Space::kShared, 1);
  SmCounters sm(hand.program, h200(), 4096);
  sm.block_begin(1);
  run_global(sm, red, kGlobalWindow, 0);          // all lanes on one address
  run_global(sm, red, kGlobalWindow + 4096, 32);  // a sector for each lane
  sm.issue(local, kFullWarp, kFullWarp);
  LaneOffsets pairs{};
  for (unsigned lane = 0; lane < kLanes; ++lane) pairs[lane] = lane / 2 * 4;
  sm.shared(local, pairs, kFullWarp, 4);
  const MetricSet metrics = metrics_of(hand.program, total(hand.program, std::move(sm), 1));
  EXPECT_NEAR(metric_of(metrics, metric::kGlobalAtomicSharing), 64.0 / 33, 1e-9);
  EXPECT_EQ(metric_of(metrics, metric::kSharedAtomicSharing), 2);
  EXPECT_NEAR(metric_of(metrics, metric::kAtomicHotness), 32 / (64.0 / 33), 1e-9);
}

TEST(Counters, KnowReductionsFromAtomics) {
  HandProgram hand;
  const std::uint32_t atom = hand.memory(Kind::kAtomic, Space::kGlobal, 1);
  hand.access_of(atom).returns = true;
  const std::uint32_t red = hand.memory(Kind::kAtomic, Space::kGlobal, 1);
  SmCounters sm(hand.program, h200(), 0);
  sm.block_begin(1);
  run_global(sm, atom, kGlobalWindow, 4);
  for (int i = 0; i < 3; ++i) run_global(sm, red, kGlobalWindow, 0);
  const GridCounters counters = total(hand.program, std::move(sm), 1);
  EXPECT_EQ(counters.atom_sectors, 4u);
  EXPECT_EQ(counters.red_sectors, 96u);  // a turn for each lane
  EXPECT_EQ(counters.accesses()[1].same_address, 96u);
  EXPECT_EQ(counters.hottest_turns, 4u + 96u);
  EXPECT_EQ(counters.atomic_turns, 4u + 96u);
  const MetricSet metrics = metrics_of(hand.program, counters);
  EXPECT_EQ(metric_of(metrics, metric::kGlobalAtomInst), 1);
  EXPECT_EQ(metric_of(metrics, metric::kGlobalRedInst), 3);
}

TEST(Counters, ScaleASampleButNotTheDataThatAllBlocksShare) {
  HandProgram hand;
  const std::uint32_t shared_table = hand.memory(Kind::kLoad, Space::kGlobal, 1);
  const std::uint32_t stream = hand.memory(Kind::kLoad, Space::kGlobal, 2);
  hand.access_of(shared_table).bypass_l1 = true;
  SmCounters sm(hand.program, h200(), 0);
  for (std::uint64_t block = 0; block < 10; ++block) {
    sm.block_begin(1);
    for (std::uint64_t i = 0; i < 100; ++i) {
      run_global(sm, shared_table, kGlobalWindow + i * 128, 4);
      run_global(sm, stream, kGlobalWindow + (1000 + block * 100 + i) * 128, 4);
    }
  }
  const GridCounters counters = total(hand.program, std::move(sm), 1000);
  EXPECT_EQ(counters.scale(), 100);
  const double table = 100 * 128, streamed = 1000.0 * 100 * 128;
  EXPECT_NEAR(counters.dram_read_bytes, table + streamed, 0.02 * streamed);
  const MetricSet metrics = metrics_of(hand.program, counters);
  EXPECT_EQ(metric_of(metrics, metric::kSampledPct), 1);
  EXPECT_EQ(metric_of(metrics, metric::kGlobalLoadRequests), 200'000);
}

TEST(Counters, LetAGridWriteToDramWhatASampleOfItKeepsInTheL2) {
  HandProgram hand;
  const std::uint32_t store = hand.memory(Kind::kStore, Space::kGlobal, 1);
  SmCounters sm(hand.program, h200(), 0);
  for (std::uint64_t block = 0; block < 10; ++block) {
    sm.block_begin(1);
    for (std::uint64_t i = 0; i < 100; ++i)
      run_global(sm, store, kGlobalWindow + (block * 100 + i) * 128, 4);
  }
  const GridCounters counters = total(hand.program, std::move(sm), 10'000);
  const double written = 10'000.0 * 100 * 128;
  const double resident = static_cast<double>(h200().l2_bytes);
  EXPECT_NEAR(counters.dram_evicted_bytes, written - resident, 0.01 * written);
}

TEST(Counters, KeepTheLocalMemoryOfWarpsApart) {
  HandProgram hand;
  hand.program.local_bytes = 16;
  const std::uint32_t load = hand.memory(Kind::kLoad, Space::kLocal, 1);
  SmCounters sm(hand.program, h200(), 0);
  sm.block_begin(2);
  for (const unsigned warp : {0u, 1u, 0u}) {
    sm.issue(load, kFullWarp, kFullWarp);
    sm.global(load, lane_addresses(8, 0), kFullWarp, 4, warp);
  }
  const GridCounters counters = total(hand.program, std::move(sm), 1);
  EXPECT_EQ(counters.l1_hits, 4u);
  const MetricSet metrics = metrics_of(hand.program, counters);
  EXPECT_EQ(metric_of(metrics, metric::kLocalLoadSectors), 12);
  EXPECT_EQ(metric_of(metrics, metric::kGlobalLoadSectors), 0);
}

TEST(Lines, AddUpTheInstructionsOfEachSourceLine) {
  HandProgram hand;
  hand.program.lines = {{"", 0}, {"k.cu", 20}, {"k.cu", 10}, {"k.cu", 20}};
  const std::uint32_t load = hand.memory(Kind::kLoad, Space::kGlobal, 1);
  const std::uint32_t wide = hand.alu(Class::kDfma, 2, 1);
  const std::uint32_t fast = hand.alu(Class::kTranscendental, 3, 1);
  hand.program.code[load].line = 1;
  hand.program.code[wide].line = 2;
  hand.program.code[fast].line = 3;
  SmCounters sm(hand.program, h200(), 0);
  sm.block_begin(1);
  run_global(sm, load, kGlobalWindow, 64);
  sm.issue(wide, 0xf, kFullWarp);
  sm.issue(fast, kFullWarp, kFullWarp);
  const std::vector<LineProfile> lines =
      lines_of(hand.program, total(hand.program, std::move(sm), 2));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].line, 10);
  EXPECT_EQ(lines[0].fp64, 8);
  EXPECT_EQ(lines[0].lanes, 64);
  EXPECT_EQ(lines[1].line, 20);
  EXPECT_EQ(lines[1].instructions, 4);
  EXPECT_EQ(lines[1].global_sectors, 64);
  EXPECT_EQ(lines[1].ideal_sectors, 8);
  EXPECT_EQ(lines[1].global_bytes, 256);
  EXPECT_EQ(lines[1].xu, 64);
}

}  // namespace
}  // namespace kp::vgpu

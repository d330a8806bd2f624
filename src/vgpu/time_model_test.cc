// SPDX-License-Identifier: Apache-2.0
#include "vgpu/time_model.h"

#include <gtest/gtest.h>

#include "vgpu/hand_programs.h"
#include "vgpu/memory.h"

namespace kp::vgpu {
namespace {

using ptx::Space;

/// What a hand-made kernel is and how one of its warps runs: `warp` is the number in the grid.
struct Kernel {
  HandProgram hand;
  std::function<void(SmCounters&, std::uint64_t warp)> run_warp;
  LaunchShape shape;
};

/// Runs at most two blocks on each SM and counts.
GridCounters count(const Kernel& kernel) {
  const DeviceSpec& spec = h200();
  const unsigned warps = kernel.shape.threads / kLanes;
  const auto sm_count = static_cast<std::uint64_t>(spec.sm_count);
  const std::uint64_t blocks = std::min<std::uint64_t>(kernel.shape.blocks, 2 * sm_count);
  std::vector<SmCounters> sms;
  for (std::uint64_t sm = 0; sm < sm_count; ++sm) {
    SmCounters counters(kernel.hand.program, spec, kernel.shape.shared_bytes, kernel.shape.threads);
    for (std::uint64_t block = sm; block < blocks; block += sm_count) {
      counters.block_begin(warps);
      for (unsigned warp = 0; warp < warps; ++warp) kernel.run_warp(counters, block * warps + warp);
    }
    sms.push_back(std::move(counters));
  }
  return GridCounters(kernel.hand.program, spec, std::move(sms), kernel.shape.blocks);
}

ModelledTime time_of(const Kernel& kernel) {
  return model_time(h200(), kernel.hand.program, count(kernel), kernel.shape);
}

/// y[i] = a * x[i] over 2^26 floats, `width` of them for each thread.
Kernel streaming(unsigned width, unsigned registers = 32) {
  Kernel kernel;
  const auto elements = static_cast<std::uint8_t>(width);
  for (unsigned i = 0; i < 6; ++i) kernel.hand.alu(Class::kInteger, 20 + i, 20 + i);
  const std::uint32_t load = kernel.hand.memory(Kind::kLoad, Space::kGlobal, 1, elements);
  for (unsigned i = 0; i < width; ++i) kernel.hand.alu(Class::kFmul, 1 + i, 1 + i);
  const std::uint32_t store = kernel.hand.memory(Kind::kStore, Space::kGlobal, 1, elements);
  const auto code = static_cast<std::uint32_t>(kernel.hand.program.code.size());
  kernel.run_warp = [=](SmCounters& sm, std::uint64_t warp) {
    for (std::uint32_t pc = 0; pc < code; ++pc) sm.issue(pc, kFullWarp, kFullWarp);
    const std::uint64_t at = kGlobalWindow + warp * kLanes * width * 4;
    sm.global(load, lane_addresses(at, width * 4), kFullWarp, width * 4);
    sm.global(store, lane_addresses(at + (1ull << 32), width * 4), kFullWarp, width * 4);
  };
  kernel.shape = {.blocks = (1u << 26) / 256 / width, .threads = 256, .registers = registers};
  return kernel;
}

/// A 4096 x 4096 transpose through 32 x 32 tiles in shared memory, rows of `pitch` words.
Kernel transpose(unsigned pitch) {
  Kernel kernel;
  std::vector<std::uint32_t> loads, writes, reads, stores;
  for (unsigned i = 0; i < 4; ++i) {
    loads.push_back(kernel.hand.memory(Kind::kLoad, Space::kGlobal, 1 + i));
  }
  for (unsigned i = 0; i < 4; ++i) {
    writes.push_back(kernel.hand.memory(Kind::kStore, Space::kShared, 1 + i));
  }
  kernel.hand.barrier();
  for (unsigned i = 0; i < 4; ++i) {
    reads.push_back(kernel.hand.memory(Kind::kLoad, Space::kShared, 1 + i));
    stores.push_back(kernel.hand.memory(Kind::kStore, Space::kGlobal, 1 + i));
  }
  const auto code = static_cast<std::uint32_t>(kernel.hand.program.code.size());
  kernel.run_warp = [=](SmCounters& sm, std::uint64_t warp) {
    for (std::uint32_t pc = 0; pc < code; ++pc) sm.issue(pc, kFullWarp, kFullWarp);
    const std::uint64_t block = warp / 8, x = block % 128, y = block / 128;
    for (unsigned i = 0; i < 4; ++i) {
      const std::uint64_t row = warp % 8 + i * 8;
      const auto at = [&](std::uint64_t tile_row, std::uint64_t tile_column) {
        return kGlobalWindow + ((tile_row * 32 + row) * 4096 + tile_column * 32) * 4;
      };
      sm.global(loads[i], lane_addresses(at(y, x), 4), kFullWarp, 4);
      sm.shared(writes[i], lane_offsets(4), kFullWarp, 4);
      sm.shared(reads[i], lane_offsets(pitch * 4), kFullWarp, 4);
      sm.global(stores[i], lane_addresses(at(x, y) + (1ull << 32), 4), kFullWarp, 4);
    }
  };
  kernel.shape = {
      .blocks = 128 * 128, .threads = 256, .shared_bytes = 32 * pitch * 4, .registers = 32};
  return kernel;
}

TEST(TimeModel, AStreamingKernelRunsNearTheDramRoof) {
  const Kernel kernel = streaming(4);
  const ModelledTime time = time_of(kernel);
  const double roof = 2 * 4.0 * (1 << 26) / h200().dram_sustained * 1e9;
  EXPECT_NEAR(time.dram, roof, 0.01 * roof);
  EXPECT_GT(roof / time.total, 0.88);
  EXPECT_LT(roof / time.total, 1.0);
}

// Measured on an H200: 198 us with one float for each thread, 124 us with four.
TEST(TimeModel, OneScalarForEachThreadStreamsSlowerThanFour) {
  const double ratio = time_of(streaming(1)).total / time_of(streaming(4)).total;
  EXPECT_GT(ratio, 1.3);
  EXPECT_LT(ratio, 1.8);
}

TEST(TimeModel, ManySmallBlocksWaitForEachOtherToStart) {
  Kernel kernel = streaming(1);
  kernel.shape.threads = 64;
  kernel.shape.blocks *= 4;
  const ModelledTime time = time_of(kernel);
  EXPECT_GT(time.blocks, time.dram);
  EXPECT_NEAR(time.blocks, 632e3, 20e3);  // measured on an H200
}

TEST(TimeModel, FewWarpsCannotHideTheLatencyOfMemory) {
  const ModelledTime many = time_of(streaming(1));
  Kernel starved = streaming(1);
  starved.shape.shared_bytes = 200 << 10;  // one block of eight warps
  const ModelledTime few = time_of(starved);
  EXPECT_GT(few.total, 2 * many.total);
  EXPECT_GT(few.latency, few.dram);
}

TEST(TimeModel, BankConflictsMakeTheNaiveTransposeSlow) {
  const ModelledTime naive = time_of(transpose(32)), padded = time_of(transpose(33));
  EXPECT_GT(naive.total, 1.5 * padded.total);
  EXPECT_GT(naive.l1, naive.dram);
  EXPECT_GT(padded.dram, padded.l1);
}

TEST(TimeModel, TheTotalIsAtLeastTheLargestRoofAndLessThanTheirSum) {
  for (const Kernel& kernel : {streaming(1), streaming(4), transpose(32), transpose(33)}) {
    const ModelledTime time = time_of(kernel);
    const double sum = time.dram + time.l2 + time.l1 + time.issue + time.pipe + time.latency;
    EXPECT_GE(time.total, std::max({time.dram, time.l2, time.l1, time.issue, time.pipe}));
    EXPECT_LE(time.total, sum + time.launch);
  }
}

TEST(TimeModel, MoreOfAnythingIsNeverFaster) {
  Kernel kernel = streaming(1);
  const double before = time_of(kernel).total;
  for (Instruction& instruction : kernel.hand.program.code) instruction.sass *= 20;
  EXPECT_GT(time_of(kernel).total, 1.5 * before);
  Kernel longer = streaming(1);
  longer.shape.blocks *= 2;
  EXPECT_GT(time_of(longer).total, 1.8 * before);
}

TEST(TimeModel, OneBlockUsesOneSm) {
  Kernel one = streaming(1);
  one.shape.blocks = 1;
  Kernel all = streaming(1);
  all.shape.blocks = 132;
  const ModelledTime single = time_of(one), wave = time_of(all);
  EXPECT_NEAR(single.latency, wave.latency, 0.3 * wave.latency);
  EXPECT_NEAR(single.issue, wave.issue, 1e-6 * wave.issue);
}

TEST(TimeModel, SameAddressAtomicsQueueUp) {
  const auto atomics = [](std::uint64_t stride) {
    Kernel kernel;
    const std::uint32_t red = kernel.hand.memory(Kind::kAtomic, Space::kGlobal, 1);
    kernel.run_warp = [=](SmCounters& sm, std::uint64_t warp) {
      sm.issue(red, kFullWarp, kFullWarp);
      sm.global(red, lane_addresses(kGlobalWindow + warp * 128 * (stride / 4), stride), kFullWarp,
                4);
    };
    kernel.shape = {.blocks = 4096, .threads = 256, .registers = 16};
    return time_of(kernel);
  };
  EXPECT_GT(atomics(0).l2, 20 * atomics(4).l2);
}

TEST(TimeModel, PercentagesFollowFromTheTimes) {
  const Kernel kernel = streaming(4);
  const GridCounters counters = count(kernel);
  MetricSet metrics;
  add_throughputs(metrics, h200(), kernel.hand.program, counters, kernel.shape);
  EXPECT_GT(*metrics.get(metric::kDramPct), 75);
  EXPECT_LE(*metrics.get(metric::kDramPct), 90);  // sustained over data sheet
  EXPECT_GE(*metrics.get(metric::kMemoryPct), *metrics.get(metric::kDramPct));
  EXPECT_LT(*metrics.get(metric::kComputePct), 40);
  EXPECT_GT(*metrics.get(metric::kAchievedOccupancy), 90);
  EXPECT_LT(*metrics.get(metric::kIssueActive), 0.4);
  EXPECT_EQ(metrics.find(metric::kDuration.name)->grade, Grade::kModelled);
  EXPECT_FALSE(metrics.get(metric::kTheoreticalOccupancy));
}

TEST(TimeConstants, NamesTheKeysThatASpecLacks) {
  DeviceSpec spec = h200();
  spec.model.erase("latency_dram");
  spec.model["lanes_xu"] = 0;
  const Result<TimeConstants> constants = time_constants(spec);
  ASSERT_FALSE(constants);
  EXPECT_NE(constants.error().message.find("latency_dram, lanes_xu"), std::string::npos)
      << constants.error().message;
}

}  // namespace
}  // namespace kp::vgpu

// SPDX-License-Identifier: Apache-2.0
#include "vgpu/cache.h"

#include <gtest/gtest.h>

#include "vgpu/memory.h"
#include "vgpu/miss_log.h"

namespace kp::vgpu {
namespace {

constexpr SectorMask kAll = 0xf;

TEST(SectoredCache, FillsSectorBySector) {
  SectoredCache cache(64 * 1024);
  EXPECT_EQ(cache.read(7, 0b0011), 0u);
  EXPECT_EQ(cache.read(7, 0b0110), 0b0010u);
  EXPECT_EQ(cache.read(7, kAll), 0b0111u);
  EXPECT_EQ(cache.read(8, kAll), 0u);
}

TEST(SectoredCache, KeepsTheMostRecentLinesOfASet) {
  SectoredCache one_set(16 * kLineBytes);
  for (std::uint64_t line = 0; line < 16; ++line) one_set.read(line, kAll);
  EXPECT_EQ(one_set.read(0, kAll), kAll);  // now the most recent one
  one_set.read(16, kAll);                  // drops line 1
  EXPECT_EQ(one_set.read(0, kAll), kAll);
  EXPECT_EQ(one_set.read(1, kAll), 0u);
  EXPECT_EQ(one_set.read(3, kAll), kAll);
}

TEST(SectoredCache, HoldsWhatFitsAndThrashesOnMuchMore) {
  SectoredCache cache(128 * 1024);  // 1024 lines
  const auto hits_of_second_pass = [&](std::uint64_t lines) {
    for (std::uint64_t line = 0; line < lines; ++line) cache.read(line, kAll);
    int hits = 0;
    for (std::uint64_t line = 0; line < lines; ++line) hits += cache.read(line, kAll) == kAll;
    return hits;
  };
  EXPECT_GT(hits_of_second_pass(512), 500);
  EXPECT_LT(hits_of_second_pass(4096), 200);
}

TEST(SectoredCache, AStrideOfAPowerOfTwoUsesAllSets) {
  SectoredCache cache(128 * 1024);
  for (std::uint64_t i = 0; i < 512; ++i) cache.read(i * 1024, kAll);
  int hits = 0;
  for (std::uint64_t i = 0; i < 512; ++i) hits += cache.read(i * 1024, kAll) == kAll;
  EXPECT_GT(hits, 400);
}

TEST(SectoredCache, CountsADirtySectorOnceUntilItIsEvicted) {
  SectoredCache one_set(16 * kLineBytes);
  EXPECT_EQ(one_set.write(0, 0b0001), 0b0001u);
  EXPECT_EQ(one_set.write(0, 0b0011), 0b0010u);
  for (std::uint64_t line = 1; line <= 16; ++line) one_set.read(line, kAll);
  EXPECT_EQ(one_set.write(0, 0b0011), 0b0011u);
}

TEST(SectoredCache, WithoutCapacityEverythingMisses) {
  SectoredCache none(0);
  EXPECT_EQ(none.read(1, kAll), 0u);
  EXPECT_EQ(none.read(1, kAll), 0u);
  EXPECT_EQ(none.write(1, kAll), kAll);
}

TEST(SectoredCache, ForgetsInvalidatedSectors) {
  SectoredCache cache(64 * 1024);
  cache.read(5, kAll);
  cache.invalidate(5, 0b0100);
  EXPECT_EQ(cache.read(5, kAll), 0b1011u);
}

TEST(MissLog, KeepsNeighbouringLinesInOneRecord) {
  MissLog log;
  for (std::uint64_t line = 100; line < 108; ++line) {
    log.read(line, kAll);
    log.write(line + 1000, kAll);  // a copy: reads and writes in turn
  }
  log.read(200, 0b0001);
  ASSERT_EQ(log.size(), 3u);
  EXPECT_EQ(log[0].line, 100u);
  EXPECT_EQ(log[0].count, 8u);
  EXPECT_EQ(log[1].traffic, Traffic::kWrite);
  EXPECT_EQ(log[2].mask, 0b0001u);
  EXPECT_EQ(log.sectors(Traffic::kRead), 33u);
  EXPECT_EQ(log.sectors(Traffic::kWrite), 32u);
}

TEST(Replay, FetchesWhatTwoSmsShareOnce) {
  MissLog first, second;
  for (std::uint64_t line = 0; line < 1000; ++line) {
    first.read(line, kAll);
    second.read(line, kAll);
  }
  const MissLog* logs[] = {&first, &second};
  const L2Replay result = replay(logs, 1 << 20);
  EXPECT_EQ(result.all.sectors, 8000u);
  EXPECT_EQ(result.all.fills, 4000u);
  EXPECT_EQ(result.all.hits + result.all.merged, 4000u);
}

TEST(Replay, MergesWhatNeighboursReadAtATime) {
  MissLog first, second, alone;
  for (std::uint64_t line = 0; line < 64; ++line) {
    first.read(line, kAll);
    second.read(line, kAll);
    alone.read(line, kAll);
  }
  for (std::uint64_t line = 0; line < 64; ++line) alone.read(line, kAll);
  const MissLog* together[] = {&first, &second};
  EXPECT_EQ(replay(together, 1 << 20).all.merged, 256u);
  const MissLog* one[] = {&alone};
  EXPECT_EQ(replay(one, 1 << 20).all.merged, 0u);
}

TEST(Replay, KnowsWhatHadToLeaveTheL2) {
  MissLog log;
  for (std::uint64_t line = 0; line < 40'000; ++line) log.write(line, kAll);
  const MissLog* logs[] = {&log};
  const L2Traffic small = replay(logs, 1 << 20).all, large = replay(logs, 16 << 20).all;
  EXPECT_EQ(small.write_backs, 160'000u);
  EXPECT_NEAR(static_cast<double>(small.evicted), 160'000 - (1 << 20) / 32, 2000);
  EXPECT_EQ(large.evicted, 0u);
}

TEST(Replay, TellsScatteredPiecesFromStreams) {
  MissLog stream, gather, scatter;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    stream.read(i, kAll);
    gather.read(i * 7919 % 100'003, 0b0001);
    scatter.write(i * 7919 % 100'003, 0b0010, true);
  }
  const auto traffic = [](const MissLog& log) {
    const MissLog* logs[] = {&log};
    return replay(logs, 1 << 20).all;
  };
  EXPECT_EQ(traffic(stream).scattered_fills, 0u);
  EXPECT_GT(traffic(gather).scattered_fills, 1900u);
  EXPECT_GT(traffic(scatter).scattered_writes, 950u);
  EXPECT_GT(traffic(scatter).fills, 950u);  // a sector that is written in part is read first
}

TEST(Replay, FetchesTwiceWhatDoesNotFit) {
  MissLog log;
  for (int pass = 0; pass < 2; ++pass) {
    for (std::uint64_t line = 0; line < 40'000; ++line) log.read(line, kAll);
  }
  const MissLog* logs[] = {&log};
  EXPECT_GT(replay(logs, 1 << 20).all.fills, 300'000u);
  EXPECT_EQ(replay(logs, 16 << 20).all.fills, 160'000u);
}

TEST(Replay, WritesBackEachDirtySectorOnce) {
  MissLog log;
  for (int pass = 0; pass < 3; ++pass) {
    for (std::uint64_t line = 0; line < 100; ++line) log.write(line, 0b0011);
  }
  const MissLog* logs[] = {&log};
  const L2Replay result = replay(logs, 1 << 20);
  EXPECT_EQ(result.all.write_backs, 200u);
  EXPECT_EQ(result.all.fills, 0u);
}

TEST(Replay, FetchesTheOtherHalfOf64BytesToo) {
  MissLog log;
  log.read(1, 0b0001);  // brings sectors 0 and 1
  log.read(1, 0b0010);  // there already
  log.read(1, 0b1000);  // brings sectors 2 and 3
  log.write(2, 0b0001);
  log.read(2, 0b0010);  // its neighbour was written here: one sector comes
  const MissLog* logs[] = {&log};
  const L2Replay result = replay(logs, 1 << 20);
  EXPECT_EQ(result.all.fills, 5u);
  EXPECT_EQ(result.all.hits, 2u);
}

TEST(Replay, FindsTheLineWithMostAtomics) {
  MissLog first, second;
  for (int i = 0; i < 10; ++i) first.atomic(3, 0b0001, Traffic::kReduction, 32);
  second.atomic(3, 0b0011, Traffic::kAtomic, 1);
  second.atomic(4, 0b1111, Traffic::kAtomic, 8);
  const MissLog* logs[] = {&first, &second};
  EXPECT_EQ(replay(logs, 1 << 20).hottest_turns, 322u);
  EXPECT_EQ(first.sectors(Traffic::kReduction) + second.sectors(Traffic::kAtomic), 354u);
}

TEST(Replay, KeepsTheLocalMemoryOfSmsApart) {
  MissLog first, second;
  first.read(kLocalWindow / kLineBytes, kAll);
  second.read(kLocalWindow / kLineBytes, kAll);
  const MissLog* logs[] = {&first, &second};
  EXPECT_EQ(replay(logs, 1 << 20).all.fills, 8u);
}

}  // namespace
}  // namespace kp::vgpu

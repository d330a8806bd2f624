// SPDX-License-Identifier: Apache-2.0
// Which blocks run, and that host threads change neither values nor counters.
#include "vgpu/schedule.h"

#include <algorithm>
#include <set>

#include "vgpu/machine_fixture.h"

namespace kp::vgpu {
namespace {

TEST(Schedule, WithoutASeedBlocksKeepTheirOrder) {
  const Permutation identity(10, 0, 0);
  for (std::uint64_t i = 0; i < 10; ++i) EXPECT_EQ(identity[i], i);
}

TEST(Schedule, ASeedMovesBlocksAndLosesNone) {
  for (const std::uint64_t count : {1u, 2u, 7u, 132u, 1024u}) {
    const Permutation permutation(count, 42, 0);
    std::set<std::uint64_t> seen;
    for (std::uint64_t i = 0; i < count; ++i) seen.insert(permutation[i]);
    EXPECT_EQ(seen.size(), count);
    EXPECT_LT(*seen.rbegin(), count);
  }
  const Permutation one(1024, 1, 0), two(1024, 2, 0);
  EXPECT_NE(one[5], two[5]);
}

TEST(Schedule, SamplesAreWholeWavesInsideTheGrid) {
  const auto waves = sample(10'000, 132, 700);
  ASSERT_EQ(waves.size(), 5u);
  EXPECT_EQ(blocks_in(waves), 660u);
  std::uint64_t last = 0;
  for (const Wave& wave : waves) {
    EXPECT_GE(wave.begin, last);
    EXPECT_EQ(wave.begin % 132, 0u);
    last = wave.end;
  }
  EXPECT_LE(last, 10'000u);
}

TEST(Schedule, ASmallSampleIsOneRunAndALargeOneEverything) {
  EXPECT_EQ(blocks_in(sample(10'000, 132, 20)), 20u);
  EXPECT_EQ(sample(10'000, 132, 20).size(), 1u);
  EXPECT_EQ(blocks_in(sample(50, 132, 200)), 50u);
  EXPECT_EQ(blocks_in(sample(50, 132, 0)), 50u);
}

class Spread : public MachineTest {
 protected:
  Spread() : MachineTest("execute") {}

  /// Runs saxpy over 64 blocks; the counters of its result.
  std::unique_ptr<GridCounters> count(unsigned threads, std::uint64_t sampled = 0) {
    const int n = 64 * 256;
    const auto x = tensor("x", std::vector<float>(n, 1)), y = tensor("y", std::vector<float>(n, 2));
    RunOptions options{.mode = Mode::kCount, .sample_blocks = sampled, .threads = threads};
    auto result = launch("saxpy", grid_of(64, 256), options, 3.0f, x, y, n);
    EXPECT_FALSE(result.fault);
    last_ = values<float>(y, n);
    memory_.release(x);
    memory_.release(y);
    return std::move(result.counters);
  }
  std::vector<float> last_;
};

TEST_F(Spread, HostThreadsChangeNeitherValuesNorCounters) {
  const auto one = count(1);
  const auto values_of_one = last_;
  const auto two = count(2);
  EXPECT_EQ(last_, values_of_one);
  EXPECT_EQ(last_, std::vector<float>(64 * 256, 5));
  ASSERT_TRUE(one && two);
  ASSERT_EQ(one->instructions().size(), two->instructions().size());
  for (std::size_t i = 0; i < one->instructions().size(); ++i) {
    EXPECT_EQ(one->instructions()[i].issued, two->instructions()[i].issued);
    EXPECT_EQ(one->instructions()[i].lanes, two->instructions()[i].lanes);
  }
  EXPECT_EQ(one->l2_sectors, two->l2_sectors);
  EXPECT_EQ(one->dram_read_bytes, two->dram_read_bytes);
}

TEST_F(Spread, ASampleRunsOnlyItsBlocksAndScales) {
  const auto all = count(1), part = count(1, 16);
  ASSERT_TRUE(all && part);
  EXPECT_DOUBLE_EQ(all->scale(), 1.0);
  EXPECT_DOUBLE_EQ(part->scale(), 4.0);
  EXPECT_EQ(part->instructions()[0].issued * 4, all->instructions()[0].issued);
  EXPECT_EQ(std::ranges::count(last_, 5.0f), 16 * 256);
}

}  // namespace
}  // namespace kp::vgpu

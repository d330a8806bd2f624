// SPDX-License-Identifier: Apache-2.0
#include "diagnose/reuse.h"

#include <gtest/gtest.h>

#include "diagnose/sample_kernel.h"

namespace kp::diagnose {
namespace {

/// 1024 x 1024 x 1024 multiply-adds, each with two loads of its own.
SampleKernel product() {
  SampleKernel sample;
  sample.floor = {.bytes = 12.6e6, .flops = 2.0 * (1 << 30), .contraction = true};
  sample.set({{metric::kGlobalLoadRequests, 1 << 26}, {metric::kGlobalLoadSectors, 1 << 27}});
  return sample;
}

TEST(Reuse, LeavesAnEighthOfTheLoadsOfANaiveProduct) {
  const std::optional<Reuse> reuse = reuse_in_contraction(product().evidence());
  ASSERT_TRUE(reuse);
  EXPECT_EQ(reuse->left, 0.125) << "2 wavefronts a multiply-add, and 8 x 8 outputs need 0.25";
  EXPECT_EQ(reuse->l2_bytes, 2.0 * (1 << 30) / 64 * 4) << "a block of 64 x 64 loads that much";
}

TEST(Reuse, IsThereWhenAThreadHasSeveralOutputs) {
  SampleKernel sample = product();
  sample.set({{metric::kGlobalLoadRequests, 1 << 23}, {metric::kGlobalLoadSectors, 1 << 23}});
  EXPECT_FALSE(reuse_in_contraction(sample.evidence()));
  sample.set({{metric::kTensorPct, 10}});
  EXPECT_TRUE(reuse_in_contraction(sample.evidence())) << "tensor cores need fewer";
}

TEST(Reuse, OfAWindowFollowsFromTheBytesThatTheTaskMustMove) {
  SampleKernel sample;
  sample.floor.bytes = 64e6;
  sample.set({{metric::kGlobalLoadSectors, 3.9 * 2e6}});
  EXPECT_FALSE(reuse_in_window(sample.evidence(), 32));
  sample.set({{metric::kGlobalLoadSectors, 6 * 2e6}});
  EXPECT_NEAR(reuse_in_window(sample.evidence(), 32)->left, 1.0 / 3, 1e-12);
}

TEST(Reuse, WithoutATaskFollowsFromWhatDramDelivered) {
  SampleKernel sample;
  sample.set({{metric::kDramRead, 32e6}, {metric::kGlobalLoadSectors, 7.9e6}});
  EXPECT_FALSE(reuse_without_task(sample.evidence(), 32));
  sample.set({{metric::kGlobalLoadSectors, 8e6}});
  EXPECT_EQ(reuse_without_task(sample.evidence(), 32)->left, 0.25);
  sample.forget(metric::kDramRead);
  EXPECT_FALSE(reuse_without_task(sample.evidence(), 32)) << "unknown is not zero";
}

TEST(Reuse, RelievesTheL1AndNeverMoreThanThereIs) {
  const SampleKernel sample = product();
  const auto times = resource_times(sample.kernel, sample.device);
  ASSERT_TRUE(times);
  const Relief all = relief_of(sample.evidence(), {.left = 0.125}, *times);
  const Relief none = relief_of(sample.evidence(), {.left = 1, .l2_bytes = 1e12}, *times);
  EXPECT_LT(all.l1, 0.2);
  EXPECT_EQ(none.l1, 1);
  EXPECT_EQ(none.l2, 1);
  EXPECT_EQ(all.dram, 1);
}

}  // namespace
}  // namespace kp::diagnose

// SPDX-License-Identifier: Apache-2.0
#include "diagnose/matrix_use.h"

#include <gtest/gtest.h>

#include "diagnose/sample_kernel.h"

namespace kp::diagnose {
namespace {

TEST(MatrixUse, IsUnknownWhereNeitherCodeNorCountersAre) {
  const MatrixUse use = matrix_use(SampleKernel().evidence());
  EXPECT_FALSE(use.in_code());
  EXPECT_FALSE(use.ran());
  EXPECT_FALSE(use.present());
}

TEST(MatrixUse, DoesNotTakePackedHalvesForMatrixProducts) {
  SampleKernel sample;
  sample.set({{metric::kTensorInst, 1e6}, {metric::kHfma, 32e6}});
  EXPECT_EQ(matrix_use(sample.evidence()).ran(), false);
  sample.set({{metric::kHfma, 3.2e6}});
  EXPECT_EQ(matrix_use(sample.evidence()).executed, 0.9e6);
}

TEST(MatrixUse, CanBeInTheCodeAndNeverRun) {
  SampleKernel sample;
  sample.set({{metric::kSassMmaWarp, 16}, {metric::kTensorPct, 0.1}});
  EXPECT_EQ(matrix_use(sample.evidence()).present(), true);
  EXPECT_EQ(matrix_use(sample.evidence()).ran(), false);
}

TEST(MatrixUse, TellsWarpGroupsFromWarpsByCountersWithoutCode) {
  SampleKernel sample;
  sample.set({{metric::kTensorInst, 4e6}, {metric::kTensorWarpgroupInst, 3e6}});
  EXPECT_EQ(matrix_use(sample.evidence()).warpgroup, 3e6);
  EXPECT_EQ(matrix_use(sample.evidence()).warp, 1e6);
}

TEST(MatrixUse, CountsMultiplyAddsInTheCodeFirst) {
  SampleKernel sample;
  sample.set({{metric::kInstructions, 42e6}, {metric::kFfma, 32 * 21e6}});
  EXPECT_EQ(fma_share(sample.evidence()), 0.5);
  sample.set({{metric::kSassInnerInst, 100}, {metric::kSassInnerFma, 64}});
  EXPECT_EQ(fma_share(sample.evidence()), 0.64);
  sample.forget(metric::kSassInnerFma);
  sample.forget(metric::kFfma);
  EXPECT_FALSE(fma_share(sample.evidence()));
}

TEST(MatrixUse, AllowsAThirdOfTf32ForF32) {
  SampleKernel sample;
  const double tf32 = sample.device.flops.at(Precision::kTf32);
  EXPECT_EQ(datapath_of(sample.evidence())->peak, tf32 / 3);
  sample.floor.precision = Precision::kTf32;
  EXPECT_EQ(datapath_of(sample.evidence())->peak, tf32);
  sample.device.flops.clear();
  EXPECT_FALSE(datapath_of(sample.evidence()));
}

}  // namespace
}  // namespace kp::diagnose

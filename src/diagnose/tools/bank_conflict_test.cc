// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "diagnose/actions.h"
#include "diagnose/sample_kernel.h"

namespace kp::diagnose {
namespace {

constexpr std::string_view kTool = "bank_conflict";

/// A transpose through an unpadded tile: each column read takes 32 wavefronts.
SampleKernel conflicting() {
  SampleKernel sample;
  sample.set({{metric::kSharedLoadInst, 2.1e6},
              {metric::kSharedLoadWavefronts, 67e6},
              {metric::kSharedLoadConflicts, 65e6},
              {metric::kSharedStoreInst, 2.1e6},
              {metric::kSharedStoreWavefronts, 2.1e6},
              {metric::kSharedPerBlock, 4096}});
  sample.times({125e3, 100e3, 281e3, 20e3, 10e3, 60e3});
  sample.kernel.lines = {{.file = "transpose.cu", .line = 12, .shared_conflicts = 0},
                         {.file = "transpose.cu", .line = 14, .shared_conflicts = 65e6}};
  return sample;
}

TEST(BankConflict, FiresOnAColumnOfAnUnpaddedTile) {
  const Finding finding = conflicting().finding(kTool);
  EXPECT_EQ(finding.severity, Severity::kCritical);
  ASSERT_EQ(finding.spots.size(), 1u);
  EXPECT_EQ(finding.spots[0].line, 14);
  EXPECT_NE(finding.saw.find("transpose.cu:14"), std::string::npos) << finding.saw;
  EXPECT_EQ(finding.prescriptions.at(0).action, action::kPadShared);
  // 281 us of L1 shrink to about 20 us; DRAM at 125 us is next.
  EXPECT_GT(finding.gain.high, 1.8);
  EXPECT_LT(finding.gain.high, 2.4);
}

TEST(BankConflict, IsSilentWhenTheTileIsPadded) {
  SampleKernel sample = conflicting();
  sample.set({{metric::kSharedLoadWavefronts, 2.1e6}, {metric::kSharedLoadConflicts, 0}});
  EXPECT_TRUE(sample.silent(kTool));
}

TEST(BankConflict, IsSilentWhenAnotherResourceHidesTheConflicts) {
  SampleKernel sample = conflicting();
  sample.times({290e3, 100e3, 60e3, 20e3, 10e3, 60e3});
  EXPECT_TRUE(sample.silent(kTool));
}

TEST(BankConflict, SpeaksFromATenthOfTheWavefronts) {
  SampleKernel sample = conflicting();
  sample.set({{metric::kSharedLoadConflicts, 6.6e6}});
  EXPECT_TRUE(sample.silent(kTool));
  sample.set({{metric::kSharedLoadConflicts, 6.8e6}});
  EXPECT_FALSE(sample.silent(kTool));
}

TEST(BankConflict, IsNotApplicableWithoutSharedMemory) {
  EXPECT_NE(SampleKernel().why_not(kTool).find("does not use shared memory"), std::string::npos);
}

TEST(BankConflict, NamesTheMetricThatIsUnknown) {
  SampleKernel sample = conflicting();
  sample.forget(metric::kSharedLoadConflicts);
  EXPECT_NE(sample.why_not(kTool).find(metric::kSharedLoadConflicts.name), std::string::npos);
}

TEST(BankConflict, PrefersSwizzlingWhenPaddingCostsABlock) {
  SampleKernel sample = conflicting();
  // 7 blocks of 32256 + 1024 bytes fill the 233472 bytes of an SM to the last.
  sample.set({{metric::kSharedPerBlock, 32256}});
  EXPECT_EQ(sample.finding(kTool).prescriptions.at(0).action, action::kSwizzleShared);
}

TEST(BankConflict, WeighsByThroughputWithoutATimeModel) {
  SampleKernel sample = conflicting();
  sample.forget(metric::kModelL1);
  EXPECT_NE(sample.why_not(kTool).find(metric::kDramPct.name), std::string::npos);
  sample.set({{metric::kDramPct, 45},
              {metric::kL2Pct, 30},
              {metric::kL1Pct, 95},
              {metric::kComputePct, 20}});
  EXPECT_EQ(sample.finding(kTool).severity, Severity::kCritical);
}

}  // namespace
}  // namespace kp::diagnose

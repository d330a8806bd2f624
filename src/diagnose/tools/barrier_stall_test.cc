// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "diagnose/actions.h"
#include "diagnose/sample_kernel.h"

namespace kp::diagnose {
namespace {

constexpr std::string_view kTool = "barrier_stall";

/// Sums of short rows: 65536 blocks of 256 threads, a tree with nine barriers in each.
SampleKernel tree() {
  SampleKernel sample;
  sample.boundness = Boundness::kLatency;
  const double warps = 65536.0 * 8;
  sample.set({{metric::kGridSize, 65536},
              {metric::kBarrierInst, 9 * warps},
              {metric::kSharedLoadInst, 10 * warps},
              {metric::kWaitBarrier, 45},
              {metric::kWaitShortScoreboard, 20},
              {metric::kWaitLongScoreboard, 25},
              {metric::kDuration, 101e3}});
  sample.times({20e3, 10e3, 15e3, 30e3, 10e3, 100e3});
  sample.kernel.lines = {{.file = "sums.cu", .line = 9, .barriers = warps},
                         {.file = "sums.cu", .line = 12, .barriers = 8 * warps}};
  return sample;
}

TEST(BarrierStall, PrescribesShufflesForATree) {
  const Finding finding = tree().finding(kTool);
  EXPECT_EQ(finding.severity, Severity::kCritical);
  EXPECT_EQ(finding.prescriptions.at(0).action, action::kWarpShuffle);
  EXPECT_NE(finding.saw.find("sums.cu:12"), std::string::npos) << finding.saw;
  EXPECT_NE(finding.saw.find("9 barriers a warp"), std::string::npos) << finding.saw;
}

TEST(BarrierStall, PrescribesASecondBufferForTiles) {
  SampleKernel sample = tree();
  const double warps = 65536.0 * 8;
  sample.set({{metric::kSharedLoadInst, 9 * 32 * warps}});
  EXPECT_EQ(sample.finding(kTool).prescriptions.at(0).action, action::kDoubleBuffer);
}

TEST(BarrierStall, PrescribesSmallerBlocksWhereManyWarpsMeet) {
  SampleKernel sample = tree();
  sample.set({{metric::kBlockSize, 1024}, {metric::kBarrierInst, 65536.0 * 32}});
  const Finding finding = sample.finding(kTool);
  EXPECT_EQ(finding.prescriptions.at(0).action, action::kBlockSize);
  EXPECT_NE(finding.prescriptions.at(0).text.find("512 threads"), std::string::npos);
}

TEST(BarrierStall, NarrowsTheScopeOfFences) {
  SampleKernel sample = tree();
  sample.set({{metric::kWarpLatency, 20}, {metric::kStallBarrier, 1}, {metric::kStallMembar, 12}});
  EXPECT_EQ(sample.finding(kTool).prescriptions.at(0).action, action::kNarrowScope);
}

/// The same where nobody counted barriers: of 12 instructions of the loop, one is a barrier.
SampleKernel tree_by_code() {
  SampleKernel sample = tree();
  sample.forget(metric::kBarrierInst);
  sample.set({{metric::kInstructions, 12 * 9 * 65536.0 * 8}});
  sample.kernel.metrics.set(metric::kSassInnerInst, 12, Grade::kStatic);
  sample.kernel.metrics.set(metric::kSassInnerBarrier, 1, Grade::kStatic);
  return sample;
}

TEST(BarrierStall, EstimatesBarriersFromTheMachineCodeWhereNobodyCountedThem) {
  const Finding finding = tree_by_code().finding(kTool);
  EXPECT_EQ(finding.prescriptions.at(0).action, action::kWarpShuffle);
  EXPECT_NE(finding.saw.find("about 9 barriers a warp by the machine code"), std::string::npos)
      << finding.saw;
  EXPECT_EQ(finding.grade, Grade::kStatic);
}

TEST(BarrierStall, PrefersBarriersThatWereCounted) {
  SampleKernel sample = tree_by_code();
  sample.set({{metric::kBarrierInst, 10 * 65536.0 * 8}});
  const Finding finding = sample.finding(kTool);
  EXPECT_NE(finding.saw.find("; 10 barriers a warp, "), std::string::npos) << finding.saw;
  EXPECT_EQ(finding.grade, Grade::kModelled);
}

TEST(BarrierStall, TakesInnerLoopsWithoutBarriersForUnknown) {
  SampleKernel sample = tree_by_code();
  sample.set({{metric::kSassInnerBarrier, 0}});
  const Finding finding = sample.finding(kTool);
  EXPECT_EQ(finding.saw.find("barriers a warp"), std::string::npos) << finding.saw;
  EXPECT_EQ(finding.prescriptions.at(0).action, action::kBalanceLanes);
}

TEST(BarrierStall, SpeaksFromFifteenPercentAndBelowThirtyAsInfo) {
  SampleKernel sample = tree();
  sample.set({{metric::kWaitBarrier, 14.9}});
  EXPECT_TRUE(sample.silent(kTool));
  sample.set({{metric::kWaitBarrier, 29}});
  EXPECT_EQ(sample.finding(kTool).severity, Severity::kInfo);
  sample.set({{metric::kWaitBarrier, 31}});
  EXPECT_GT(sample.finding(kTool).severity, Severity::kInfo);
}

TEST(BarrierStall, IsSilentWhenLatencyDoesNotBoundTheKernel) {
  SampleKernel sample = tree();
  sample.times({100e3, 10e3, 15e3, 30e3, 10e3, 50e3});
  EXPECT_TRUE(sample.silent(kTool));
}

TEST(BarrierStall, PromisesNoMoreThanTheIdleIssueSlots) {
  SampleKernel sample = tree();
  sample.set({{metric::kIssueActive, 0.95}});
  const Verdict verdict = sample.ask(kTool);
  const auto* finding = std::get_if<Finding>(&verdict);
  EXPECT_TRUE(!finding || finding->gain.high < 1.06);
}

TEST(BarrierStall, IsNotApplicableWithoutBarriers) {
  SampleKernel sample = tree();
  sample.set({{metric::kBarrierInst, 0}});
  EXPECT_NE(sample.why_not(kTool).find("no barriers"), std::string::npos);
}

TEST(BarrierStall, NamesTheMetricThatIsUnknown) {
  SampleKernel sample = tree();
  for (const MetricKey& key :
       {metric::kWaitBarrier, metric::kWaitShortScoreboard, metric::kWaitLongScoreboard}) {
    sample.forget(key);
  }
  EXPECT_NE(sample.why_not(kTool).find(metric::kWarpLatency.name), std::string::npos);
}

}  // namespace
}  // namespace kp::diagnose

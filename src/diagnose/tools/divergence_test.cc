// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "diagnose/actions.h"
#include "diagnose/sample_kernel.h"

namespace kp::diagnose {
namespace {

constexpr std::string_view kTool = "divergence";

/// Half of the lanes take each side of a branch, in a kernel that issue slots bound.
SampleKernel branching() {
  SampleKernel sample;
  sample.boundness = Boundness::kCompute;
  sample.set({{metric::kThreadsPerInst, 16.6}, {metric::kDuration, 19e3}});
  sample.times({2e3, 1e3, 1e3, 17e3, 16e3, 5e3});
  sample.kernel.lines = {{.file = "choose.cu", .line = 5, .instructions = 1e6, .lanes = 32e6},
                         {.file = "choose.cu", .line = 7, .instructions = 8e6, .lanes = 128e6},
                         {.file = "choose.cu", .line = 9, .instructions = 8e6, .lanes = 128e6}};
  return sample;
}

TEST(Divergence, FiresOnABranchThatSplitsWarps) {
  const Finding finding = branching().finding(kTool);
  EXPECT_EQ(finding.severity, Severity::kCritical);
  EXPECT_EQ(finding.prescriptions.at(0).action, action::kBalanceLanes);
  EXPECT_NE(finding.saw.find("choose.cu:7 and choose.cu:9"), std::string::npos) << finding.saw;
  EXPECT_GT(finding.gain.high, 1.5);
  EXPECT_LT(finding.gain.high, 2.2);
}

TEST(Divergence, GivesARowToAWarpWhereLanesWalkAlongRows) {
  SampleKernel sample = branching();
  sample.set({{metric::kLoadUnitStride, 0}});
  EXPECT_EQ(sample.finding(kTool).prescriptions.at(0).action, action::kRowPerWarp);
}

TEST(Divergence, SharesTheWorkOfALonelyLane) {
  SampleKernel sample = branching();
  sample.kernel.lines.clear();
  sample.set({{metric::kThreadsPerInst, 2}});
  EXPECT_EQ(sample.finding(kTool).prescriptions.at(0).action, action::kWarpShuffle);
}

TEST(Divergence, SpeaksBelowTwentyFourLanes) {
  SampleKernel sample = branching();
  sample.set({{metric::kThreadsPerInst, 24}});
  EXPECT_TRUE(sample.silent(kTool));
  sample.set({{metric::kThreadsPerInst, 23.9}});
  EXPECT_FALSE(sample.silent(kTool));
}

TEST(Divergence, LeavesPartlyFilledWarpsToLaunchShape) {
  SampleKernel sample = branching();
  sample.set({{metric::kBlockSize, 33}});  // 16.5 lanes a warp
  EXPECT_TRUE(sample.silent(kTool));
}

TEST(Divergence, DoesNotBlameALaneThatIsElectedForAnAtomic) {
  SampleKernel sample = branching();
  sample.kernel.lines = {
      {.file = "count.cu", .line = 5, .instructions = 4e6, .lanes = 128e6},
      {.file = "count.cu", .line = 7, .instructions = 6e6, .lanes = 6e6, .atomics = 2e6}};
  EXPECT_TRUE(sample.silent(kTool));
}

TEST(Divergence, IsSilentWhenMemoryBoundsTheKernel) {
  SampleKernel sample = branching();
  sample.times({17e3, 10e3, 3e3, 6e3, 6e3, 5e3});
  EXPECT_TRUE(sample.silent(kTool));
}

TEST(Divergence, CountsPredicatesOnlyWhereTheyWereMeasured) {
  SampleKernel sample = branching();
  sample.kernel.lines.clear();
  sample.set({{metric::kThreadsPerInst, 32}, {metric::kThreadsPredOnPerInst, 16}});
  EXPECT_TRUE(sample.silent(kTool));
  sample.kernel.metrics.set(metric::kThreadsPredOnPerInst, 16, Grade::kMeasured);
  EXPECT_FALSE(sample.silent(kTool));
}

TEST(Divergence, NamesTheMetricThatIsUnknown) {
  SampleKernel sample = branching();
  sample.forget(metric::kThreadsPerInst);
  EXPECT_NE(sample.why_not(kTool).find(metric::kThreadsPerInst.name), std::string::npos);
}

}  // namespace
}  // namespace kp::diagnose

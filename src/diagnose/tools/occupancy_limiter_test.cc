// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "diagnose/actions.h"
#include "diagnose/sample_kernel.h"

namespace kp::diagnose {
namespace {

constexpr std::string_view kTool = "occupancy_limiter";

/// Waits for latency with `registers` a thread in blocks of 128.
SampleKernel waiting(double registers) {
  SampleKernel sample;
  sample.boundness = Boundness::kLatency;
  sample.set({{metric::kRegisters, registers}, {metric::kBlockSize, 128}});
  sample.times({60e3, 50e3, 30e3, 40e3, 30e3, 290e3});
  return sample;
}

TEST(OccupancyLimiter, SaysHowManyRegistersAllowOneBlockMore) {
  const Finding finding = waiting(64).finding(kTool);
  EXPECT_NE(finding.saw.find("32 of 64 warps"), std::string::npos) << finding.saw;
  EXPECT_NE(finding.saw.find("limited by registers"), std::string::npos) << finding.saw;
  const Prescription& first = finding.prescriptions.at(0);
  EXPECT_EQ(first.action, action::kLaunchBounds);
  EXPECT_NE(
      first.text.find(
          "64 registers a thread limit residency to 8 blocks per SM; 56 allow 9, 48 allow 10."),
      std::string::npos)
      << first.text;
  EXPECT_EQ(first.code, "__launch_bounds__(128, 10)");
}

TEST(OccupancyLimiter, SaysHowManyBytesAllowOneBlockMore) {
  SampleKernel sample = waiting(32);
  sample.set({{metric::kSharedPerBlock, 48 << 10}, {metric::kBlockSize, 256}});
  const Finding finding = sample.finding(kTool);
  EXPECT_EQ(finding.prescriptions.at(0).action, action::kLessShared);
  EXPECT_NE(finding.prescriptions.at(0).text.find("45568 allow 5, 37888 allow 6."),
            std::string::npos)
      << finding.prescriptions.at(0).text;
}

TEST(OccupancyLimiter, ProposesABlockSizeThatPacksBetter) {
  SampleKernel sample = waiting(32);
  sample.set({{metric::kBlockSize, 704}});  // 22 warps: 2 blocks, 44 of 64
  const Finding finding = sample.finding(kTool);
  EXPECT_EQ(finding.prescriptions.at(0).action, action::kBlockSize);
  EXPECT_EQ(finding.severity, Severity::kWarning);
}

TEST(OccupancyLimiter, IsSilentFromEightyPercent) {
  EXPECT_FALSE(waiting(48).silent(kTool));  // 10 blocks, 40 of 64 warps
  EXPECT_TRUE(waiting(32).silent(kTool));
}

TEST(OccupancyLimiter, IsSilentWhenIssueSlotsAreUsed) {
  SampleKernel sample = waiting(64);
  sample.set({{metric::kIssueActive, 0.61}});
  EXPECT_TRUE(sample.silent(kTool));
}

TEST(OccupancyLimiter, IsSilentWhenLatencyIsNotTheBound) {
  SampleKernel sample = waiting(64);
  sample.times({290e3, 50e3, 30e3, 40e3, 30e3, 100e3});
  EXPECT_TRUE(sample.silent(kTool));
}

TEST(OccupancyLimiter, IsSilentWhenTensorCoresAreBusy) {
  SampleKernel sample = waiting(128);
  sample.set({{metric::kTensorPct, 65}});
  EXPECT_TRUE(sample.silent(kTool));
}

TEST(OccupancyLimiter, IsSilentWhenNoBlockWaits) {
  SampleKernel sample = waiting(64);
  sample.set({{metric::kGridSize, 1056}});  // 132 SMs x 8 blocks
  EXPECT_TRUE(sample.silent(kTool));
  sample.set({{metric::kGridSize, 2112}});
  EXPECT_FALSE(sample.silent(kTool));
}

TEST(OccupancyLimiter, SeesPlacesThatStayEmpty) {
  SampleKernel sample = waiting(32);
  sample.set({{metric::kAchievedOccupancy, 91}});
  EXPECT_TRUE(sample.silent(kTool));
  sample.set({{metric::kAchievedOccupancy, 60}});
  const Finding uneven = sample.finding(kTool);
  EXPECT_EQ(uneven.prescriptions.at(0).action, action::kWidenAccess) << "short blocks";
  EXPECT_EQ(uneven.prescriptions.at(1).action, action::kGridStride);
  EXPECT_EQ(uneven.severity, Severity::kInfo);
  sample.set({{metric::kSmCyclesActiveAvg, 500}, {metric::kSmCyclesActiveMax, 1000}});
  EXPECT_EQ(sample.finding(kTool).prescriptions.at(0).action, action::kGridStride)
      << "some SMs end early";
}

TEST(OccupancyLimiter, NamesTheMetricThatIsUnknown) {
  SampleKernel sample = waiting(64);
  sample.forget(metric::kRegisters);
  EXPECT_NE(sample.why_not(kTool).find(metric::kRegisters.name), std::string::npos);
}

}  // namespace
}  // namespace kp::diagnose

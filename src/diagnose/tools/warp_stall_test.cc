// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "diagnose/actions.h"
#include "diagnose/sample_kernel.h"

namespace kp::diagnose {
namespace {

constexpr std::string_view kTool = "warp_stall";

/// Sums of 65536 columns of 512 rows: 256 blocks, one load at a time in each thread.
SampleKernel serial_loads() {
  SampleKernel sample;
  sample.boundness = Boundness::kLatency;
  sample.set({{metric::kGridSize, 256},
              {metric::kGlobalLoadInst, 512.0 * 2048},
              {metric::kIssueActive, 0.04},
              {metric::kWaitLongScoreboard, 98},
              {metric::kWaitShortScoreboard, 0},
              {metric::kWaitFixedLatency, 1},
              {metric::kDuration, 176e3}});
  sample.times({31e3, 17e3, 4e3, 7e3, 8e3, 174e3});
  sample.kernel.lines = {{.file = "sums.cu", .line = 14, .global_requests = 1e6}};
  return sample;
}

/// Waits of one kind only.
SampleKernel waiting_for(const MetricKey& key, double percent) {
  SampleKernel sample = serial_loads();
  sample.set({{metric::kWaitLongScoreboard, 5}, {key, percent}});
  return sample;
}

TEST(WarpStall, UnrollsLoopsThatWaitForEachLoad) {
  const Finding finding = serial_loads().finding(kTool);
  EXPECT_EQ(finding.severity, Severity::kCritical);
  EXPECT_EQ(finding.prescriptions.at(0).action, action::kUnroll);
  EXPECT_NE(finding.saw.find("98 % of their time for data of global memory at sums.cu:14"),
            std::string::npos)
      << finding.saw;
}

TEST(WarpStall, GivesARowToAWarpWhereEachThreadWalksAlongOne) {
  SampleKernel sample = serial_loads();
  sample.set({{metric::kLoadBytesPerSector, 4}, {metric::kLoadUnitStride, 0}});
  EXPECT_EQ(sample.finding(kTool).prescriptions.at(0).action, action::kRowPerWarp);
}

TEST(WarpStall, LeavesOtherUncoalescedLoadsToMemoryCoalescing) {
  SampleKernel sample = serial_loads();
  sample.set({{metric::kLoadBytesPerSector, 16}, {metric::kLoadUnitStride, 90}});
  EXPECT_TRUE(sample.silent(kTool));
}

TEST(WarpStall, LeavesThreadsOfFewLoadsToVectorAccess) {
  SampleKernel sample = serial_loads();
  sample.set({{metric::kGlobalLoadInst, 3 * 2048}});
  EXPECT_TRUE(sample.silent(kTool));
}

TEST(WarpStall, LeavesSpillsToRegisterSpill) {
  SampleKernel sample = serial_loads();
  sample.set({{metric::kLocalLoadSectors, 4e6}});
  EXPECT_TRUE(sample.silent(kTool));
}

TEST(WarpStall, LoadsTheNextTileEarly) {
  SampleKernel sample = serial_loads();
  sample.set({{metric::kSharedStoreInst, 1e6}, {metric::kBarrierInst, 1e6}});
  EXPECT_EQ(sample.finding(kTool).prescriptions.at(0).action, action::kDoubleBuffer);
  sample.set({{metric::kSharedStoreInst, 4e5}});  // a reduction after the loop
  EXPECT_EQ(sample.finding(kTool).prescriptions.at(0).action, action::kUnroll);
}

TEST(WarpStall, BreaksChainsOfArithmetic) {
  EXPECT_EQ(waiting_for(metric::kWaitFixedLatency, 70).finding(kTool).prescriptions.at(0).action,
            action::kUnroll);
}

TEST(WarpStall, KeepsSharedValuesInRegisters) {
  SampleKernel sample = waiting_for(metric::kWaitShortScoreboard, 60);
  sample.set({{metric::kSharedLoadInst, 1e6}, {metric::kSharedLoadWavefronts, 1e6}});
  EXPECT_EQ(sample.finding(kTool).prescriptions.at(0).action, action::kRegisterTile);
}

TEST(WarpStall, LeavesSharedMemoryToTheToolsThatKnowWhy) {
  SampleKernel conflicts = waiting_for(metric::kWaitShortScoreboard, 60);
  conflicts.set({{metric::kSharedLoadWavefronts, 1e6}, {metric::kSharedLoadConflicts, 2e5}});
  EXPECT_TRUE(conflicts.silent(kTool));
  SampleKernel barriers = waiting_for(metric::kWaitShortScoreboard, 60);
  barriers.set({{metric::kWaitBarrier, 20}});
  EXPECT_TRUE(barriers.silent(kTool));
  SampleKernel transcendental = waiting_for(metric::kWaitShortScoreboard, 60);
  transcendental.set({{metric::kXuInst, 100e6}});
  EXPECT_TRUE(transcendental.silent(kTool));
}

TEST(WarpStall, LeavesBarriersToBarrierStall) {
  EXPECT_TRUE(waiting_for(metric::kWaitBarrier, 60).silent(kTool));
}

TEST(WarpStall, SpeaksFromThirtyPercent) {
  EXPECT_TRUE(waiting_for(metric::kWaitDrain, 29).silent(kTool));
  EXPECT_EQ(waiting_for(metric::kWaitDrain, 31).finding(kTool).prescriptions.at(0).action,
            action::kGridStride);
}

TEST(WarpStall, IsSilentWhenIssueSlotsAreUsed) {
  SampleKernel sample = serial_loads();
  sample.set({{metric::kIssueActive, 0.81}});
  EXPECT_TRUE(sample.silent(kTool));
}

TEST(WarpStall, IsSilentWhenOtherWarpsHideTheLatency) {
  SampleKernel sample = serial_loads();
  sample.times({174e3, 17e3, 4e3, 7e3, 8e3, 120e3});
  EXPECT_TRUE(sample.silent(kTool));
}

TEST(WarpStall, PrefersMeasuredStalls) {
  SampleKernel sample = serial_loads();
  sample.kernel.metrics.set(metric::kWarpLatency, 30, Grade::kMeasured);
  sample.kernel.metrics.set(metric::kStallMathPipe, 20, Grade::kMeasured);
  EXPECT_TRUE(sample.silent(kTool));
}

TEST(WarpStall, NamesTheMetricThatIsUnknown) {
  SampleKernel sample = serial_loads();
  for (const MetricKey& key :
       {metric::kWaitLongScoreboard, metric::kWaitShortScoreboard, metric::kWaitFixedLatency}) {
    sample.forget(key);
  }
  EXPECT_NE(sample.why_not(kTool).find(metric::kWarpLatency.name), std::string::npos);
}

}  // namespace
}  // namespace kp::diagnose

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "diagnose/actions.h"
#include "diagnose/sample_kernel.h"

namespace kp::diagnose {
namespace {

constexpr std::string_view kTool = "memory_coalescing";

/// A naive transpose: rows are read packed, columns written one element a sector.
SampleKernel strided_stores() {
  SampleKernel sample;
  sample.set({{metric::kGlobalStoreSectors, 67e6},
              {metric::kStoreBytesPerSector, 4},
              {metric::kStoreUnitStride, 0},
              {metric::kL2SectorsFromL1, 75.5e6}});
  sample.times({125e3, 439e3, 264e3, 10e3, 5e3, 60e3});
  sample.set({{metric::kDuration, 460e3}});
  sample.kernel.lines = {
      {.file = "transpose.cu", .line = 9, .global_sectors = 75.4e6, .ideal_sectors = 16.8e6}};
  return sample;
}

TEST(MemoryCoalescing, FiresOnStridedStoresAndPrescribesATile) {
  const Finding finding = strided_stores().finding(kTool);
  EXPECT_EQ(finding.severity, Severity::kCritical);
  EXPECT_EQ(finding.prescriptions.at(0).action, action::kTileThroughShared);
  EXPECT_NE(finding.saw.find("stores use 4 of the 32 bytes"), std::string::npos) << finding.saw;
  EXPECT_NE(finding.saw.find("transpose.cu:9"), std::string::npos) << finding.saw;
  EXPECT_EQ(finding.saw.find("Global loads"), std::string::npos) << finding.saw;
}

TEST(MemoryCoalescing, PrescribesOtherIndicesWhenBothSidesAreStrided) {
  SampleKernel sample = strided_stores();
  sample.set({{metric::kGlobalLoadSectors, 67e6},
              {metric::kLoadBytesPerSector, 4},
              {metric::kLoadUnitStride, 0},
              {metric::kL2SectorsFromL1, 134e6}});
  EXPECT_EQ(sample.finding(kTool).prescriptions.at(0).action, action::kSwapIndices);
}

TEST(MemoryCoalescing, PrescribesAWarpForEachRowWhenThreadsWalkAlongRows) {
  SampleKernel sample = strided_stores();
  sample.set({{metric::kGlobalLoadSectors, 67e6},
              {metric::kLoadBytesPerSector, 4},
              {metric::kLoadUnitStride, 0},
              {metric::kL2SectorsFromL1, 134e6},
              {metric::kGridSize, 64},
              {metric::kBlockSize, 256}});
  EXPECT_EQ(sample.finding(kTool).prescriptions.at(0).action, action::kRowPerWarp);
}

TEST(MemoryCoalescing, PrescribesAlignmentWhenLanesLieSideBySide) {
  SampleKernel sample = strided_stores();
  // One byte a lane, off by one: 2 sectors where 1 would do.
  sample.set({{metric::kGlobalStoreSectors, 4.2e6},
              {metric::kStoreBytesPerSector, 16},
              {metric::kStoreUnitStride, 100},
              {metric::kL2SectorsFromL1, 12.6e6}});
  EXPECT_EQ(sample.finding(kTool).prescriptions.at(0).action, action::kAlignRows);
}

TEST(MemoryCoalescing, IsSilentOnPackedAccesses) { EXPECT_TRUE(SampleKernel().silent(kTool)); }

TEST(MemoryCoalescing, IsSilentWhenAllLanesReadOneAddress) {
  SampleKernel sample;
  sample.set({{metric::kGlobalLoadSectors, 2.1e6}, {metric::kLoadBytesPerSector, 4}});
  sample.times({60e3, 290e3, 200e3, 40e3, 30e3, 60e3});
  EXPECT_TRUE(sample.silent(kTool));
}

TEST(MemoryCoalescing, IsSilentWhenTheBadSideCarriesLittle) {
  SampleKernel sample = strided_stores();
  sample.set({{metric::kGlobalStoreRequests, 2e4}, {metric::kGlobalStoreSectors, 6.4e5}});
  EXPECT_TRUE(sample.silent(kTool));
}

TEST(MemoryCoalescing, IsSilentWhenLatencyHidesTheExcess) {
  SampleKernel sample = strided_stores();
  sample.times({50e3, 50e3, 50e3, 10e3, 5e3, 450e3});
  EXPECT_TRUE(sample.silent(kTool));
}

TEST(MemoryCoalescing, SpeaksBelowThreeQuartersOfASector) {
  SampleKernel sample = strided_stores();
  sample.set({{metric::kGlobalStoreSectors, 11.2e6}, {metric::kStoreBytesPerSector, 24}});
  EXPECT_TRUE(sample.silent(kTool));
  sample.set({{metric::kStoreBytesPerSector, 23.5}});
  EXPECT_EQ(sample.finding(kTool).severity, Severity::kWarning);
}

TEST(MemoryCoalescing, CallsHalfASectorAtMostAWarning) {
  SampleKernel sample = strided_stores();
  sample.set({{metric::kStoreBytesPerSector, 16}});
  EXPECT_EQ(sample.finding(kTool).severity, Severity::kWarning);
  sample.set({{metric::kStoreBytesPerSector, 15.9}});
  EXPECT_EQ(sample.finding(kTool).severity, Severity::kCritical);
}

TEST(MemoryCoalescing, NamesTheMetricThatIsUnknown) {
  SampleKernel sample = strided_stores();
  sample.forget(metric::kStoreBytesPerSector);
  EXPECT_NE(sample.why_not(kTool).find(metric::kStoreBytesPerSector.name), std::string::npos);
}

TEST(MemoryCoalescing, LeavesComputeBoundKernelsAlone) {
  SampleKernel sample = strided_stores();
  sample.boundness = Boundness::kCompute;
  EXPECT_TRUE(sample.silent(kTool));
}

}  // namespace
}  // namespace kp::diagnose

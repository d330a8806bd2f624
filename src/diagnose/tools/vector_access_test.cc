// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "diagnose/actions.h"
#include "diagnose/sample_kernel.h"

namespace kp::diagnose {
namespace {

constexpr std::string_view kTool = "vector_access";

/// Bytes to half, one element a thread: DRAM is half idle, latency and issue slots bound it.
SampleKernel narrow() {
  SampleKernel sample;
  sample.floor = {.bytes = 201e6, .flops = 134e6, .precision = Precision::kF16};
  sample.set({{metric::kDuration, 85e3},
              {metric::kDramRead, 67e6},
              {metric::kDramWrite, 134e6},
              {metric::kLoadWidth, 1},
              {metric::kStoreWidth, 2}});
  sample.times({47e3, 40e3, 16e3, 50e3, 20e3, 75e3});
  return sample;
}

TEST(VectorAccess, FiresOnByteLoadsThatLeaveDramIdle) {
  const Finding finding = narrow().finding(kTool);
  EXPECT_EQ(finding.prescriptions.at(0).action, action::kWidenAccess);
  EXPECT_NE(finding.prescriptions.at(0).text.find("8 neighbouring elements"), std::string::npos)
      << finding.prescriptions.at(0).text;
  EXPECT_NE(finding.costs.find("latency"), std::string::npos) << finding.costs;
  EXPECT_GT(finding.gain.high, 1.2);
}

TEST(VectorAccess, CountsLoadsOfOneAddressAsAmortised) {
  SampleKernel sample = narrow();
  // Beside each byte, a scale and an offset that all lanes share.
  sample.set({{metric::kGlobalLoadInst, 6.3e6},
              {metric::kGlobalLoadRequests, 6.3e6},
              {metric::kGlobalLoadSectors, 6.3e6},
              {metric::kLoadBytesPerSector, 12.3},
              {metric::kLoadUnitStride, 33}});
  EXPECT_FALSE(sample.silent(kTool));
}

TEST(VectorAccess, IsSilentAtTheDramRoof) {
  SampleKernel sample = narrow();
  sample.set({{metric::kDuration, 60e3}});
  EXPECT_TRUE(sample.silent(kTool));
}

TEST(VectorAccess, IsSilentWhenAccessesAreWide) {
  SampleKernel sample = narrow();
  sample.set({{metric::kLoadWidth, 16}, {metric::kStoreWidth, 16}});
  EXPECT_TRUE(sample.silent(kTool));
}

TEST(VectorAccess, IsSilentWhenLanesAreApart) {
  SampleKernel sample = narrow();
  sample.set({{metric::kLoadUnitStride, 0}, {metric::kStoreUnitStride, 0}});
  EXPECT_TRUE(sample.silent(kTool));
}

TEST(VectorAccess, IsSilentWhenRowsAreNotAligned) {
  SampleKernel sample = narrow();
  // One element of 4 bytes off: 5 sectors a request where 4 would do.
  sample.set({{metric::kGlobalLoadSectors, 10.5e6}, {metric::kLoadBytesPerSector, 25.6}});
  sample.set({{metric::kGlobalStoreSectors, 10.5e6}, {metric::kStoreBytesPerSector, 25.6}});
  EXPECT_TRUE(sample.silent(kTool));
}

TEST(VectorAccess, IsSilentWhenWiderThreadsWouldEmptySms) {
  SampleKernel sample = narrow();
  sample.set({{metric::kGridSize, 1500}});  // 1056 blocks are one wave
  EXPECT_TRUE(sample.silent(kTool));
  sample.set({{metric::kGridSize, 2200}});
  EXPECT_NE(sample.finding(kTool).prescriptions.at(0).text.find("2 neighbouring"),
            std::string::npos);
}

TEST(VectorAccess, IsSilentWhenArithmeticBoundsTheKernel) {
  SampleKernel sample = narrow();
  sample.times({30e3, 20e3, 10e3, 30e3, 80e3, 40e3});
  EXPECT_TRUE(sample.silent(kTool));
}

TEST(VectorAccess, GivesUpFromSeventyPercentOfDram) {
  SampleKernel sample = narrow();
  sample.set({{metric::kDuration, 67.5e3}});  // 201 MB at 69.3 % of 4.3 TB/s
  EXPECT_FALSE(sample.silent(kTool));
  sample.set({{metric::kDuration, 66e3}});  // 70.8 %
  EXPECT_TRUE(sample.silent(kTool));
}

TEST(VectorAccess, NamesTheMetricThatIsUnknown) {
  SampleKernel sample = narrow();
  sample.forget(metric::kLoadBytesPerSector);
  EXPECT_NE(sample.why_not(kTool).find(metric::kLoadBytesPerSector.name), std::string::npos);
}

}  // namespace
}  // namespace kp::diagnose

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "diagnose/actions.h"
#include "diagnose/sample_kernel.h"

namespace kp::diagnose {
namespace {

constexpr std::string_view kTool = "launch_shape";

/// Bound by what an SM does itself. 8 blocks of 256 threads fit on each of 132 SMs: 1056 are a
/// wave.
SampleKernel launched(double blocks, double threads = 256) {
  SampleKernel sample;
  sample.set({{metric::kGridSize, blocks}, {metric::kBlockSize, threads}});
  sample.times({40e3, 40e3, 30e3, 200e3, 60e3, 250e3});
  return sample;
}

TEST(LaunchShape, IsSilentOnAPlainGrid) { EXPECT_TRUE(launched(262144).silent(kTool)); }

TEST(LaunchShape, FindsAGridSmallerThanTheDevice) {
  const Finding finding = launched(33).finding(kTool);
  EXPECT_EQ(finding.severity, Severity::kCritical);
  EXPECT_EQ(finding.prescriptions.at(0).action, action::kMoreBlocks);
  EXPECT_NE(finding.saw.find("33 blocks use 33 of 132 SMs"), std::string::npos) << finding.saw;
}

TEST(LaunchShape, FindsPartialWarps) {
  const Finding finding = launched(262144, 48).finding(kTool);
  EXPECT_EQ(finding.prescriptions.at(0).action, action::kBlockSize);
  EXPECT_NE(finding.saw.find("48 of the 64 lanes"), std::string::npos) << finding.saw;
}

TEST(LaunchShape, FindsAnEmptyLastWave) {
  const Finding finding = launched(1188).finding(kTool);  // 1.125 waves
  EXPECT_EQ(finding.prescriptions.at(0).action, action::kGridStride);
  EXPECT_NE(finding.prescriptions.at(0).text.find("1056 blocks (132 SMs x 8)"), std::string::npos)
      << finding.prescriptions.at(0).text;
}

TEST(LaunchShape, IgnoresTheTailOfFiveWaves) {
  EXPECT_FALSE(launched(1056 * 4 + 132).silent(kTool));
  EXPECT_TRUE(launched(1056 * 5 + 132).silent(kTool));
}

TEST(LaunchShape, ExemptsPersistentKernels) {
  EXPECT_TRUE(launched(132 * 4).silent(kTool));
  EXPECT_FALSE(launched(132 * 4 + 1).silent(kTool));
}

TEST(LaunchShape, FindsBlocksTooSmallToFillAnSm) {
  const Finding finding = launched(262144, 32).finding(kTool);
  EXPECT_EQ(finding.prescriptions.at(0).action, action::kBlockSize);
  EXPECT_NE(finding.saw.find("32 of 64 warps"), std::string::npos) << finding.saw;
}

TEST(LaunchShape, IsSilentWhenDramIsBusyAnyway) {
  SampleKernel sample = launched(1188);
  sample.times({290e3, 100e3, 30e3, 60e3, 20e3, 100e3});
  EXPECT_TRUE(sample.silent(kTool));
}

TEST(LaunchShape, NamesTheMetricThatIsUnknown) {
  SampleKernel sample = launched(33);
  sample.forget(metric::kGridSize);
  EXPECT_NE(sample.why_not(kTool).find(metric::kGridSize.name), std::string::npos);
}

}  // namespace
}  // namespace kp::diagnose

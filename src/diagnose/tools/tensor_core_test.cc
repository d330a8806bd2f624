// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "diagnose/actions.h"
#include "diagnose/sample_kernel.h"

namespace kp::diagnose {
namespace {

constexpr std::string_view kTool = "tensor_core";

/// A product of matrices of 2048 on scalar lanes, with halves allowed.
SampleKernel scalar_product(Precision precision = Precision::kF16) {
  SampleKernel sample;
  sample.boundness = Boundness::kCompute;
  sample.floor = {.bytes = 25e6, .flops = 17.2e9, .contraction = true, .precision = precision};
  sample.set({{metric::kDuration, 1e6}, {metric::kFfma, 8.6e9}, {metric::kTensorPct, 0}});
  return sample;
}

/// The same with matrix instructions.
SampleKernel matrix_product(double percent) {
  SampleKernel sample = scalar_product();
  sample.set({{metric::kFfma, 0},
              {metric::kTensorPct, percent},
              {metric::kSassMmaWarp, 16},
              {metric::kSassMmaWarpgroup, 0},
              {metric::kTensorInst, 4e6}});
  return sample;
}

TEST(TensorCore, SendsAContractionOnScalarLanesToMatrixInstructions) {
  const Finding finding = scalar_product().finding(kTool);
  EXPECT_EQ(finding.severity, Severity::kCritical);
  EXPECT_EQ(finding.prescriptions.at(0).action, action::kTensorCores);
  EXPECT_EQ(finding.gain.high, 8);
}

TEST(TensorCore, SplitsOperandsOfF32AndNeverDropsToTf32) {
  const Finding finding = scalar_product(Precision::kF32).finding(kTool);
  EXPECT_EQ(finding.severity, Severity::kWarning);
  EXPECT_EQ(finding.prescriptions.at(0).action, action::kSplitEmulation);
  EXPECT_NE(finding.prescriptions.at(0).text.find("inside the f32 gate"), std::string::npos);
  for (const Prescription& prescription : finding.prescriptions) {
    EXPECT_NE(prescription.action, action::kTensorCores);
  }
}

TEST(TensorCore, IsSilentWhereNoneAreNeeded) {
  SampleKernel sample = scalar_product();
  sample.floor.contraction = false;
  EXPECT_TRUE(sample.silent(kTool));
  sample.floor.contraction = true;
  sample.floor.flops = 15 * sample.floor.bytes;  // below the ridge of scalar lanes, 15.6
  EXPECT_TRUE(sample.silent(kTool));
  sample.floor.flops = 17 * sample.floor.bytes;
  EXPECT_FALSE(sample.silent(kTool));
}

TEST(TensorCore, IsSilentAboutAKernelThatIsNotTheContraction) {
  SampleKernel sample = scalar_product();
  sample.set({{metric::kFfma, 1e6}});
  EXPECT_TRUE(sample.silent(kTool));
}

TEST(TensorCore, TakesPackedHalvesForNoMatrixInstructions) {
  SampleKernel sample = scalar_product();
  sample.set({{metric::kTensorInst, 1e6}, {metric::kHfma, 32e6}, {metric::kTensorPct, 8}});
  EXPECT_EQ(sample.finding(kTool).prescriptions.at(0).action, action::kTensorCores);
}

TEST(TensorCore, FindsMatrixInstructionsThatNeverRun) {
  SampleKernel sample = matrix_product(0);
  sample.set({{metric::kTensorInst, 0}, {metric::kFfma, 8.6e9}});
  EXPECT_NE(sample.finding(kTool).saw.find("none of them is executed"), std::string::npos);
}

TEST(TensorCore, FeedsTensorCoresBelowThirtyPercent) {
  EXPECT_EQ(matrix_product(29).finding(kTool).prescriptions.at(0).action, action::kFeedTensorCores);
  EXPECT_EQ(matrix_product(31).finding(kTool).prescriptions.at(0).action, action::kWarpgroupMma);
}

TEST(TensorCore, PromisesANewerGenerationAtMostWhatItsCapAllows) {
  const Finding finding = matrix_product(45).finding(kTool);
  EXPECT_LE(finding.gain.high, 1.6);
  SampleKernel newer = matrix_product(45);
  newer.set({{metric::kSassMmaWarp, 0}, {metric::kSassMmaWarpgroup, 8}});
  EXPECT_TRUE(newer.silent(kTool));
}

TEST(TensorCore, SaysLessWithoutATask) {
  SampleKernel sample = scalar_product();
  sample.floor = {};
  sample.set({{metric::kSassInnerInst, 100}, {metric::kSassInnerFma, 64}, {metric::kFp32Pct, 60}});
  sample.times({10e3, 10e3, 20e3, 200e3, 250e3, 10e3});
  EXPECT_EQ(sample.finding(kTool).severity, Severity::kInfo);
  sample.set({{metric::kSassInnerFma, 20}});
  EXPECT_TRUE(sample.silent(kTool));
}

TEST(TensorCore, NamesTheMetricThatIsUnknown) {
  SampleKernel sample = scalar_product();
  sample.forget(metric::kTensorPct);
  EXPECT_NE(sample.why_not(kTool).find(metric::kTensorPct.name), std::string::npos);
}

}  // namespace
}  // namespace kp::diagnose

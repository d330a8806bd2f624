// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "diagnose/actions.h"
#include "diagnose/sample_kernel.h"

namespace kp::diagnose {
namespace {

constexpr std::string_view kTool = "instruction_mix";

/// A kernel whose time is the arithmetic pipes'.
SampleKernel arithmetic() {
  SampleKernel sample;
  sample.boundness = Boundness::kCompute;
  sample.set({{metric::kInstructions, 100e6},
              {metric::kIssueActive, 0.5},
              {metric::kIntegerInst, 500e6},
              {metric::kControlInst, 100e6},
              {metric::kFfma, 2e9},
              {metric::kFadd, 0}});
  sample.times({60e3, 40e3, 30e3, 96e3, 290e3, 60e3});
  return sample;
}

/// A filter whose weights were written as 0.25 instead of 0.25f.
SampleKernel accidental_double() {
  SampleKernel sample = arithmetic();
  sample.set({{metric::kDfma, 600e6}, {metric::kFfma, 100e6}, {metric::kConversionInst, 500e6}});
  sample.kernel.lines = {{.file = "smooth.cu", .line = 14, .fp64 = 600e6, .conversions = 500e6},
                         {.file = "smooth.cu", .line = 15, .fp64 = 3e6}};
  return sample;
}

TEST(InstructionMix, FindsAccidentalDouble) {
  const Finding finding = accidental_double().finding(kTool);
  EXPECT_EQ(finding.prescriptions.at(0).action, action::kFloatLiterals);
  EXPECT_EQ(finding.severity, Severity::kCritical);
  EXPECT_NE(finding.saw.find(" at smooth.cu:14, with 500 M conversions"), std::string::npos)
      << finding.saw;
}

TEST(InstructionMix, AcceptsDoubleThatTheTaskAsksFor) {
  SampleKernel sample = accidental_double();
  sample.floor.double_data = true;
  EXPECT_TRUE(sample.silent(kTool));
}

TEST(InstructionMix, MentionsAccidentalDoubleEvenWhenDramHidesIt) {
  SampleKernel sample = accidental_double();
  sample.times({290e3, 40e3, 30e3, 96e3, 100e3, 60e3});
  const Finding finding = sample.finding(kTool);
  EXPECT_EQ(finding.severity, Severity::kInfo);
  EXPECT_LT(finding.gain.high, 1.03);
}

TEST(InstructionMix, AFewDoubleOperationsAreNotWorthAWord) {
  SampleKernel sample = arithmetic();
  sample.set({{metric::kDfma, 15e6}});  // of 3.2e9
  EXPECT_TRUE(sample.silent(kTool));
  sample.set({{metric::kDfma, 17e6}});
  EXPECT_FALSE(sample.silent(kTool));
}

TEST(InstructionMix, IsSilentWhenDramHidesTranscendentals) {
  SampleKernel sample = arithmetic();
  sample.set({{metric::kXuInst, 400e6}});
  sample.times({290e3, 40e3, 30e3, 96e3, 100e3, 60e3});
  EXPECT_TRUE(sample.silent(kTool));
}

TEST(InstructionMix, FindsTranscendentalsAndSaysWhatFastOnesLose) {
  SampleKernel sample = arithmetic();
  sample.set({{metric::kXuInst, 400e6}, {metric::kFfma, 1.5e9}});
  const Finding finding = sample.finding(kTool);
  EXPECT_EQ(finding.prescriptions.at(0).action, action::kFastMath);
  EXPECT_NE(finding.prescriptions.at(0).text.find("ulp"), std::string::npos);
}

TEST(InstructionMix, DoesNotTradePrecisionInDouble) {
  SampleKernel sample = arithmetic();
  sample.set({{metric::kXuInst, 400e6}, {metric::kFfma, 1.5e9}});
  sample.floor.precision = Precision::kF64;
  EXPECT_TRUE(sample.silent(kTool));
}

TEST(InstructionMix, FindsConversionsFromATenthOfTheInstructions) {
  SampleKernel sample = arithmetic();
  sample.times({60e3, 40e3, 30e3, 290e3, 200e3, 60e3});
  sample.set({{metric::kConversionInst, 315e6}});  // of 3.2e9
  EXPECT_TRUE(sample.silent(kTool));
  sample.set({{metric::kConversionInst, 325e6}});
  EXPECT_EQ(sample.finding(kTool).prescriptions.at(0).action, action::kPackedConvert);
}

TEST(InstructionMix, FindsIndexOverheadOnlyWhenIssueSlotsAreBusy) {
  SampleKernel sample = arithmetic();
  sample.times({60e3, 40e3, 30e3, 290e3, 100e3, 60e3});
  sample.set({{metric::kIntegerInst, 1.7e9}, {metric::kFfma, 500e6}, {metric::kIssueActive, 0.9}});
  EXPECT_EQ(sample.finding(kTool).prescriptions.at(0).action, action::kStrengthReduce);
  sample.set({{metric::kIssueActive, 0.55}});
  EXPECT_TRUE(sample.silent(kTool));
}

TEST(InstructionMix, FindsUnfusedPairsButNotSumsAlone) {
  SampleKernel sample = arithmetic();
  sample.set({{metric::kFfma, 0}, {metric::kFadd, 1e9}, {metric::kFmul, 1e9}});
  EXPECT_EQ(sample.finding(kTool).prescriptions.at(0).action, action::kFuseMultiplyAdd);
  sample.set({{metric::kFadd, 2e9}, {metric::kFmul, 0}});
  EXPECT_TRUE(sample.silent(kTool));
}

TEST(InstructionMix, NamesTheMetricThatIsUnknown) {
  SampleKernel sample = accidental_double();
  sample.forget(metric::kDfma);
  EXPECT_NE(sample.why_not(kTool).find(metric::kDfma.name), std::string::npos);
}

TEST(InstructionMix, EstimatesTranscendentalsFromThePipe) {
  SampleKernel sample = arithmetic();
  sample.forget(metric::kXuInst);
  sample.set({{metric::kXuPct, 80}, {metric::kFfma, 1e9}});
  EXPECT_EQ(sample.finding(kTool).prescriptions.at(0).action, action::kFastMath);
}

}  // namespace
}  // namespace kp::diagnose

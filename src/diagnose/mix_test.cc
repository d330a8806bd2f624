// SPDX-License-Identifier: Apache-2.0
#include "diagnose/mix.h"

#include <gtest/gtest.h>

#include "diagnose/sample_kernel.h"

namespace kp::diagnose {
namespace {

TEST(Mix, MakesInstructionsOfWarpsAndAddsNothingForUnknownOnes) {
  SampleKernel sample;
  sample.set({{metric::kFadd, 64}, {metric::kFmul, 32}});
  sample.forget(metric::kHfma);
  EXPECT_EQ(warp_instructions(sample.evidence(), {metric::kFadd, metric::kFmul, metric::kHfma}), 3);
}

TEST(Mix, LeavesPipesWorkThatIsNotInteger) {
  SampleKernel sample;
  sample.set({{metric::kIntegerInst, 4e9}});
  EXPECT_NEAR(pipe_left(sample.evidence(), 0.5), 0.5, 1e-9);
  sample.set({{metric::kFadd, 100e9}});
  EXPECT_EQ(pipe_left(sample.evidence(), 0.5), 1) << "another pipe takes longer";
  sample.forget(metric::kControlInst);
  EXPECT_EQ(pipe_left(sample.evidence(), 0), 1) << "unknown";
}

TEST(Mix, TakesAllWorkOfAnXuWithoutFunctionsForConversionsToDouble) {
  SampleKernel sample;
  sample.forget(metric::kXuInst);
  sample.kernel.lines.clear();
  sample.set({{metric::kDfma, 1e9},
              {metric::kConversionInst, 2e9},
              {metric::kXuPct, 100},
              {metric::kDuration, 1e6},
              {metric::kSassInnerXu, 0}});
  const InstructionCounts counts = counts_of(sample.evidence(), 16);
  EXPECT_DOUBLE_EQ(counts.conversions64, 2e9);
  sample.set({{metric::kSassInnerXu, 1}});
  const double of_operations = counts_of(sample.evidence(), 16).f64;
  EXPECT_DOUBLE_EQ(counts_of(sample.evidence(), 16).conversions64, of_operations)
      << "functions take their part of the XU";
}

}  // namespace
}  // namespace kp::diagnose

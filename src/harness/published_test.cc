// SPDX-License-Identifier: Apache-2.0
// The figures follow from the rules that docs/flashinfer.md states, computed by hand.
#include "harness/published.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kp::harness {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Tolerance kFlashInfer{.rule = Tolerance::Rule::kFlashInfer};
constexpr Tolerance kSol{.matched = 0.99};

PublishedVerdict judged(const Tolerance& tolerance, std::vector<double> got,
                        std::vector<double> expected, DType dtype = DType::kF32) {
  PublishedVerdict verdict;
  judge_published(verdict, tolerance, {dtype, got, expected});
  return verdict;
}

TEST(Published, FlashInferWantsBothErrorsLargeBeforeAnElementIsOff) {
  EXPECT_TRUE(judged(kFlashInfer, {0.005}, {0}).passed) << "the relative error alone is large";
  EXPECT_TRUE(judged(kFlashInfer, {1001}, {1000}).passed) << "the absolute error alone is large";
  const auto off = judged(kFlashInfer, {1.5, 2}, {1, 2});
  EXPECT_FALSE(off.passed);
  EXPECT_EQ(off.rule, "FlashInfer-Bench");
  EXPECT_EQ(off.matched, 0.5);
  EXPECT_EQ(off.required, 1);
  EXPECT_FLOAT_EQ(static_cast<float>(off.max_absolute_error), 0.5F);
  EXPECT_FLOAT_EQ(static_cast<float>(off.max_relative_error), 0.5F);
}

TEST(Published, FlashInferWantsFiniteResults) {
  EXPECT_TRUE(judged(kFlashInfer, {std::nan("")}, {std::nan("")}).has_nan);
  EXPECT_FALSE(judged(kFlashInfer, {std::nan("")}, {std::nan("")}).passed);
  EXPECT_FALSE(judged(kFlashInfer, {-kInfinity}, {-kInfinity}).passed);
}

TEST(Published, SolAddsTheErrorsAndLetsAShareOfElementsBeOff) {
  EXPECT_TRUE(judged(kSol, {1.015}, {1}).passed) << "0.01 + 0.01 * 1";
  EXPECT_FALSE(judged(kSol, {1.025}, {1}).passed);
  std::vector<double> got(200, 1), expected(200, 1);
  got[0] = 5;
  got[1] = 5;
  const auto allowed = judged(kSol, got, expected);
  EXPECT_TRUE(allowed.passed);
  EXPECT_EQ(allowed.matched, 0.99);
  EXPECT_EQ(allowed.max_absolute_error, 4);
  got[2] = 5;
  EXPECT_FALSE(judged(kSol, got, expected).passed);
  got[2] = 1;
  Tolerance capped = kSol;
  capped.cap = 3;
  EXPECT_FALSE(judged(capped, got, expected).passed);
}

TEST(Published, SolDividesByTheAbsoluteToleranceWhereLittleIsExpected) {
  EXPECT_FLOAT_EQ(static_cast<float>(judged(kSol, {0.005}, {0}).max_relative_error), 0.5F);
}

TEST(Published, SolRefusesInfinitiesUnlessTheWorkloadExpectsThem) {
  const auto refused = judged(kSol, {-kInfinity, 1}, {-kInfinity, 1});
  EXPECT_FALSE(refused.passed);
  EXPECT_TRUE(refused.has_infinity);
  Tolerance excused = kSol;
  excused.negative_infinity = true;
  EXPECT_TRUE(judged(excused, {-kInfinity, 1}, {-kInfinity, 1}).passed);
  EXPECT_FALSE(judged(excused, {1, 1}, {-kInfinity, 1}).passed);
  EXPECT_FALSE(judged(excused, {kInfinity, 1}, {kInfinity, 1}).passed);
  const auto nan = judged(kSol, {std::nan(""), kInfinity}, {1, 1});
  EXPECT_TRUE(nan.has_nan);
  EXPECT_FALSE(nan.has_infinity);
}

TEST(Published, SolRefusesZeroesWhereSomethingIsExpected) {
  const auto zero = judged(kSol, {0, 0}, {0.003, 0.004});
  EXPECT_FALSE(zero.passed) << "although both are within the absolute tolerance";
  EXPECT_NEAR(zero.max_absolute_error, 0.005, 1e-9);
  EXPECT_TRUE(judged(kSol, {0, 0}, {0, 0}).passed);
}

TEST(Published, ExpectedValuesAreRoundedToTheTypeOfTheOutputFirst) {
  const double third = 1.0 / 3;
  EXPECT_EQ(judged(kSol, {0.333251953125}, {third}, DType::kF16).max_absolute_error, 0);
  EXPECT_GT(judged(kSol, {0.333251953125}, {third}, DType::kF32).max_absolute_error, 0);
}

TEST(Published, TheWorstOfSeveralOutputsCounts) {
  PublishedVerdict verdict{.workload = "w"};
  const std::vector<double> got{1, 1}, off{1, 2};
  judge_published(verdict, kFlashInfer, {DType::kF32, off, got});
  judge_published(verdict, kFlashInfer, {DType::kF32, got, got});
  EXPECT_FALSE(verdict.passed);
  EXPECT_EQ(verdict.matched, 0.5);
  EXPECT_EQ(
      to_note(verdict),
      "by the tolerance of FlashInfer-Bench, workload w: fails (50 % of elements match, 100 % "
      "must; largest error 1, relative 1)");
}

}  // namespace
}  // namespace kp::harness

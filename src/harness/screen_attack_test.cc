// SPDX-License-Identifier: Apache-2.0
#include "harness/screen_attack.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kp::harness {
namespace {

using Values = std::vector<double>;

const Attack& attack(std::string_view name) {
  for (const Attack& known : attacks()) {
    if (known.name == name) return known;
  }
  ADD_FAILURE() << "no attack " << name;
  return attacks().front();
}

Values forged(std::string_view name, const AttackMaterial& material) {
  const Forged made = forge(attack(name), material);
  const auto* values = std::get_if<Values>(&made);
  EXPECT_NE(values, nullptr) << name << ": " << std::get<std::string>(made);
  return values ? *values : Values();
}

std::string refusal(std::string_view name, const AttackMaterial& material) {
  const Forged made = forge(attack(name), material);
  const auto* reason = std::get_if<std::string>(&made);
  return reason ? *reason : "none";
}

TEST(ScreenAttack, LeavesOutWhatItsNameSays) {
  const Values expected{1, 2, 3, 4, 5, 6, 7, 8}, other{9, 9, 9, 9, 9, 9, 9, 9};
  const AttackMaterial material{.rank = 2, .row = 4, .expected = expected, .other = other};
  EXPECT_EQ(forged("zeros", material), Values(8, 0.0));
  EXPECT_EQ(forged("constant", material), Values(8, 4.5));
  EXPECT_EQ(forged("row means", material), (Values{2.5, 2.5, 2.5, 2.5, 6.5, 6.5, 6.5, 6.5}));
  EXPECT_EQ(forged("other inputs", material), other);
  EXPECT_EQ(forged("last quarter zeros", material), (Values{1, 2, 3, 4, 5, 6, 0, 0}));
  EXPECT_EQ(forged("last quarter of other inputs", material), (Values{1, 2, 3, 4, 5, 6, 9, 9}));
  EXPECT_EQ(forged("row tails zeros", material), (Values{1, 2, 3, 0, 5, 6, 7, 0}));
}

TEST(ScreenAttack, WorksForTheFirstTileOnly) {
  const Values expected(5000, 7.0);
  const Values got = forged("first tile only", {.expected = expected});
  EXPECT_EQ(got[1023], 7);
  EXPECT_EQ(got[1024], 0);
  EXPECT_EQ(got.back(), 0);
}

TEST(ScreenAttack, SaysWhyThereIsNoSuchOutput) {
  const Values one{3.5};
  const AttackMaterial single{.expected = one};
  EXPECT_EQ(refusal("constant", single), "the mean of one element is the answer itself");
  EXPECT_EQ(refusal("row means", single), "it has no rows");
  EXPECT_EQ(refusal("last quarter zeros", single), "fewer than four elements have no last quarter");
  EXPECT_EQ(refusal("row tails zeros", single), "it has no rows");
  EXPECT_EQ(refusal("first tile only", single), "it is one tile");
  EXPECT_EQ(refusal("other inputs", single), "the task reads no data");
  EXPECT_EQ(refusal("untouched", single), "it holds nothing before");
  EXPECT_EQ(forged("zeros", single), Values{0.0});
}

TEST(ScreenAttack, PutsTheCommonestWholeNumberWhereAMeanIsNone) {
  const Values expected{0, 1, 1, 1};
  EXPECT_EQ(forged("constant", {.dtype = DType::kI32, .expected = expected}), Values(4, 1.0));
  EXPECT_EQ(forged("constant", {.dtype = DType::kF32, .expected = expected}), Values(4, 0.75));
}

TEST(ScreenAttack, HandsInValuesOfTheOutputsType) {
  const Values expected{1, 1 + 0x1p-9};
  EXPECT_EQ(forged("constant", {.dtype = DType::kBf16, .expected = expected}), Values(2, 1.0));
  EXPECT_TRUE(coincides(DType::kBf16, Values(2, 1.0), expected));
  EXPECT_FALSE(coincides(DType::kF32, Values(2, 1.0), expected));
}

TEST(ScreenAttack, ClosenessIsThatOfTheBenchmark) {
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::nan("");
  const Values expected{0, 10, infinity};
  EXPECT_TRUE(all_close(DType::kF32, Values{1e-4, 10.001, infinity}, expected, 1e-4));
  EXPECT_FALSE(all_close(DType::kF32, Values{1.1e-4, 10, infinity}, expected, 1e-4));
  EXPECT_FALSE(all_close(DType::kF32, Values{0, 10.0012, infinity}, expected, 1e-4));
  EXPECT_FALSE(all_close(DType::kF32, Values{0, 10, 1e30}, expected, 1e-4));
  EXPECT_FALSE(all_close(DType::kF32, Values{nan}, Values{nan}, 1e-2)) << "NaN is close to nothing";
}

}  // namespace
}  // namespace kp::harness

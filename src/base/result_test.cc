// SPDX-License-Identifier: Apache-2.0
#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>

namespace kp {
namespace {

Result<int> half(int value) {
  if (value % 2 != 0) return fail(ErrorCode::kInvalidInput, "odd number", "give an even one");
  return value / 2;
}

Result<std::unique_ptr<int>> quarter(int value) {
  KP_TRY(const int first, half(value).within("first half"));
  KP_TRY(const int second, half(first).within("second half"));
  return std::make_unique<int>(second);
}

Result<void> divisible(int value) {
  KP_TRY_VOID(quarter(value).within("divide"));
  return {};
}

TEST(Result, TryTakesTheValueOfASuccess) {
  const Result<std::unique_ptr<int>> result = quarter(8);
  ASSERT_TRUE(result);
  EXPECT_EQ(**result, 2);
  EXPECT_TRUE(divisible(4));
}

TEST(Result, TryReturnsTheErrorWithItsContextOutermostFirst) {
  const Result<void> result = divisible(6);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kInvalidInput);
  EXPECT_EQ(result.error().text(), "divide: second half: odd number\nhint: give an even one");
}

TEST(Result, AnErrorAtASpotStartsWithThePlace) {
  const Error error = fail_at({"plan.cu", 3, 7}, "unknown axis").value();
  EXPECT_EQ(error.text(), "plan.cu:3:7: unknown axis");
}

TEST(SourceSpot, LeavesOutWhatIsUnknown) {
  EXPECT_EQ(to_string(SourceSpot{"a.cu", 0, 0}), "a.cu");
  EXPECT_EQ(to_string(SourceSpot{"a.cu", 4, 0}), "a.cu:4");
  EXPECT_EQ(to_string(SourceSpot{"", 4, 2}), "4:2");
}

}  // namespace
}  // namespace kp

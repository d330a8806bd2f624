// SPDX-License-Identifier: Apache-2.0
#include "model/dtype.h"

#include <gtest/gtest.h>

namespace kp {
namespace {

TEST(DType, IsKnownByBothSpellings) {
  for (int i = 0; i <= static_cast<int>(DType::kBool); ++i) {
    const auto type = static_cast<DType>(i);
    EXPECT_EQ(dtype_from(name_of(type)), type);
  }
  EXPECT_EQ(dtype_from("bfloat16"), DType::kBf16);
  EXPECT_EQ(dtype_from("float8_e4m3fn"), DType::kF8E4M3);
  EXPECT_EQ(dtype_from("uint8"), DType::kU8);
  EXPECT_EQ(dtype_from("float"), std::nullopt);
}

TEST(DType, KnowsSizeAndKind) {
  EXPECT_EQ(size_of(DType::kF64), 8u);
  EXPECT_EQ(size_of(DType::kBf16), 2u);
  EXPECT_EQ(size_of(DType::kBool), 1u);
  EXPECT_TRUE(is_floating(DType::kF8E5M2));
  EXPECT_FALSE(is_floating(DType::kI8));
  EXPECT_TRUE(is_signed_integer(DType::kI16));
  EXPECT_FALSE(is_signed_integer(DType::kU16));
  EXPECT_FALSE(is_signed_integer(DType::kF32));
}

TEST(Precision, IsOrderedFromStrictToLoose) {
  EXPECT_LT(Precision::kF32, Precision::kTf32);
  EXPECT_LT(Precision::kBf16, Precision::kF8);
  for (const auto precision : {Precision::kF64, Precision::kF32, Precision::kTf32, Precision::kF16,
                               Precision::kBf16, Precision::kF8}) {
    EXPECT_EQ(precision_from(name_of(precision)), precision);
  }
  EXPECT_EQ(precision_from("fp8"), Precision::kF8);
  EXPECT_EQ(precision_from("f8"), std::nullopt);
}

TEST(Precision, GatesRefuseTheNextCoarserClass) {
  EXPECT_LT(class_gate(Precision::kF64, false), class_gate(Precision::kF32, false));
  EXPECT_LT(class_gate(Precision::kF32, false), class_gate(Precision::kF16, false));
  EXPECT_LT(class_gate(Precision::kBf16, true), class_gate(Precision::kBf16, false));
  EXPECT_LT(class_gate(Precision::kBf16, false), class_gate(Precision::kF8, false));
}

}  // namespace
}  // namespace kp

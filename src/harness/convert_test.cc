// SPDX-License-Identifier: Apache-2.0
#include "harness/convert.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace kp::harness {
namespace {

TEST(ConvertTest, HalfRoundsToNearestEven) {
  EXPECT_EQ(rounded(DType::kF16, 1.0), 1.0);
  EXPECT_EQ(rounded(DType::kF16, 1 + 0x1p-11), 1.0) << "a tie goes to even";
  EXPECT_EQ(rounded(DType::kF16, 1 + 3 * 0x1p-11), 1 + 0x1p-9);
  EXPECT_EQ(rounded(DType::kF16, 1 + 0x1p-11 + 0x1p-40), 1 + 0x1p-10) << "no double rounding";
  EXPECT_EQ(rounded(DType::kF16, 65504), 65504);
  EXPECT_EQ(rounded(DType::kF16, 65519), 65504);
  EXPECT_EQ(rounded(DType::kF16, 65520), std::numeric_limits<double>::infinity());
  EXPECT_EQ(rounded(DType::kF16, 0x1p-24), 0x1p-24) << "smallest denormal";
  EXPECT_EQ(rounded(DType::kF16, 0x1p-25), 0.0);
  EXPECT_TRUE(std::signbit(rounded(DType::kF16, -0.0)));
}

TEST(ConvertTest, EveryBitPatternOfTheSmallTypesSurvivesARoundTrip) {
  for (const DType type : {DType::kF16, DType::kBf16, DType::kF8E4M3, DType::kF8E5M2}) {
    const std::size_t size = size_of(type);
    for (std::uint32_t bits = 0; bits < (size == 2 ? 65536u : 256u); ++bits) {
      std::vector<std::byte> bytes(size), again(size);
      std::memcpy(bytes.data(), &bits, size);
      double value = 0;
      decode(type, bytes, std::span(&value, 1));
      encode(type, std::span(&value, 1), again);
      if (std::isnan(value)) continue;
      ASSERT_EQ(bytes, again) << name_of(type) << " " << bits << " " << value;
    }
  }
}

TEST(ConvertTest, Fp8HasItsOwnEnds) {
  EXPECT_EQ(rounded(DType::kF8E4M3, 448), 448);
  EXPECT_TRUE(std::isnan(rounded(DType::kF8E4M3, 1000)));
  EXPECT_EQ(rounded(DType::kF8E5M2, 57344), 57344);
  EXPECT_TRUE(std::isinf(rounded(DType::kF8E5M2, 1e6)));
  EXPECT_EQ(rounded(DType::kF8E4M3, 0x1p-9), 0x1p-9);
}

TEST(ConvertTest, IntegersRoundAndClamp) {
  EXPECT_EQ(rounded(DType::kU8, 300), 255);
  EXPECT_EQ(rounded(DType::kU8, -3), 0);
  EXPECT_EQ(rounded(DType::kI8, -1000), -128);
  EXPECT_EQ(rounded(DType::kI32, 2.5), 2);
  EXPECT_EQ(rounded(DType::kI32, std::nan("")), 0);
  EXPECT_EQ(rounded(DType::kU64, 1e30), 18446744073709551615.0);
  EXPECT_EQ(rounded(DType::kBool, 7), 1);
}

}  // namespace
}  // namespace kp::harness

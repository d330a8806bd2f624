// SPDX-License-Identifier: Apache-2.0
#include "base/random.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kp {
namespace {

// The known answers for philox4x32-10 that Random123 publishes (tests/kat_vectors).
TEST(Philox, MatchesThePublishedKnownAnswers) {
  EXPECT_EQ(philox(0, 0, 0), (Philox4{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint64_t kOnes = ~std::uint64_t{0};
  EXPECT_EQ(philox(kOnes, kOnes, kOnes), (Philox4{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox(0x299f31d0a4093822, 0x85a308d3243f6a88, 0x0370734413198a2e),
            (Philox4{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, RepeatsForTheSameKeyAndStream) {
  Random a(7, 1), b(7, 1), other(7, 2);
  const std::uint64_t first = a.bits64();
  EXPECT_EQ(first, b.bits64());
  EXPECT_NE(first, other.bits64());
  EXPECT_NE(first, a.bits64());
}

TEST(Random, UniformAndNormalHaveTheirMoments) {
  Random random(3);
  constexpr int kCount = 100'000;
  double sum = 0, normal_sum = 0, normal_squares = 0;
  for (int i = 0; i < kCount; ++i) {
    const double u = random.uniform();
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    sum += u;
    const double z = random.normal();
    ASSERT_TRUE(std::isfinite(z));
    normal_sum += z;
    normal_squares += z * z;
  }
  EXPECT_NEAR(sum / kCount, 0.5, 0.005);
  EXPECT_NEAR(normal_sum / kCount, 0.0, 0.02);
  EXPECT_NEAR(normal_squares / kCount, 1.0, 0.03);
}

TEST(Random, BelowReachesEveryValueAboutEquallyOften) {
  Random random(11);
  std::array<int, 6> seen{};
  for (int i = 0; i < 60'000; ++i) ++seen.at(random.below(6));
  for (const int count : seen) EXPECT_NEAR(count, 10'000, 500);
  EXPECT_EQ(random.below(1), 0u);
}

}  // namespace
}  // namespace kp

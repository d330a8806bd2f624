// SPDX-License-Identifier: Apache-2.0
#include "harness/gates.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/random.h"
#include "harness/convert.h"

namespace kp::harness {
namespace {

struct Sample {
  std::vector<double> expected, nudged, got;
  GateRequest request;
  explicit Sample(std::size_t count, double scale = 1, double shift = 0) {
    Random random(3);
    for (std::size_t i = 0; i < count; ++i) expected.push_back(shift + scale * random.normal());
    for (const double value : expected)
      nudged.push_back(value * (1 + 0x1p-23 * (2 * random.uniform() - 1)));
    for (const double value : expected) got.push_back(rounded(DType::kF32, value));
    request.zero_mean = true;
  }
  GateVerdict check() {
    request.got = got;
    request.expected = expected;
    request.nudged = nudged;
    return check_output(request);
  }
  std::string gate() {
    const GateVerdict verdict = check();
    return verdict.failure ? verdict.failure->gate : "";
  }
};

TEST(GatesTest, RoundingAlonePasses) {
  Sample sample(5000);
  EXPECT_EQ(sample.gate(), "");
  EXPECT_LT(sample.check().error, 1e-7);
  EXPECT_NEAR(sample.check().limit, 2e-5, 1e-9);
}

TEST(GatesTest, EachClassRefusesTheNextCoarserOne) {
  const std::vector<std::pair<Precision, double>> refused{{Precision::kF32, 2.9e-4},
                                                          {Precision::kTf32, 2.4e-3},
                                                          {Precision::kBf16, 1.5e-2},
                                                          {Precision::kF8, 1e-1}};
  const std::vector<std::pair<Precision, double>> allowed{{Precision::kF32, 2.3e-6},
                                                          {Precision::kTf32, 7.7e-4},
                                                          {Precision::kBf16, 2.45e-3},
                                                          {Precision::kF8, 3.8e-2}};
  const auto gate_with = [](Precision precision, double noise) {
    Sample sample(5000);
    Random random(4);
    for (double& value : sample.got) value += noise * random.normal();
    sample.request.precision = precision;
    return sample.gate();
  };
  for (const auto& [precision, noise] : refused)
    EXPECT_EQ(gate_with(precision, noise), "centred-l2");
  for (const auto& [precision, noise] : allowed) EXPECT_EQ(gate_with(precision, noise), "");
}

TEST(GatesTest, OneWrongElementOfAMillionIsFound) {
  Sample sample(1'000'000);
  sample.got[654'321] += 0.1;
  sample.request.precision = Precision::kTf32;
  EXPECT_NE(sample.gate(), "");
  EXPECT_EQ(sample.check().failure->index, 654'321u);
}

TEST(GatesTest, AWrongTileIsFoundWhereTheWholeHidesIt) {
  Sample sample(1'000'000);
  sample.request.precision = Precision::kBf16;
  for (std::size_t i = 2048; i < 3072; ++i) sample.got[i] *= 1.1;
  EXPECT_EQ(sample.gate(), "row");
}

TEST(GatesTest, SpecialValuesMustMatchInPlaceAndKind) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const double nan = std::nan("");
  const auto gate_of = [&](double wanted, double got) {
    Sample sample(100);
    sample.expected[7] = sample.nudged[7] = wanted;
    sample.got[7] = got;
    return sample.gate();
  };
  EXPECT_EQ(gate_of(nan, nan), "");
  EXPECT_EQ(gate_of(kInf, kInf), "");
  EXPECT_EQ(gate_of(1e39, kInf), "") << "beyond the type's range";
  EXPECT_EQ(gate_of(nan, 0), "special-values");
  EXPECT_EQ(gate_of(0, nan), "special-values");
  EXPECT_EQ(gate_of(kInf, -kInf), "special-values");
  EXPECT_EQ(gate_of(kInf, nan), "special-values");
  EXPECT_EQ(gate_of(1e39, 1), "special-values");
}

TEST(GatesTest, IntegersAreExactExceptOnTheEdgeOfARounding) {
  Sample sample(4);
  sample.request.dtype = DType::kI32;
  sample.expected = {1, 2, 3.5, -4};
  sample.nudged = {1, 2, 3.4999, -4};
  sample.got = {1, 2, 3, -4};
  EXPECT_EQ(sample.gate(), "");
  sample.got = {1, 3, 4, -4};
  EXPECT_EQ(sample.gate(), "exact");
}

TEST(GatesTest, WholeResultsOfWholeInputsAreExact) {
  Sample sample(300);
  for (double& value : sample.expected) value = std::nearbyint(1000 * value);
  sample.nudged = sample.got = sample.expected;
  sample.request.whole = true;
  sample.request.precision = Precision::kBf16;
  EXPECT_EQ(sample.gate(), "");
  sample.got[5] += 1;
  EXPECT_EQ(sample.gate(), "exact");
}

TEST(GatesTest, LargeMeansDoNotCondemnHonestSums) {
  Sample sample(1000, 30, 5000);
  Random random(5);
  for (double& value : sample.got) value += 5000 * 3e-7 * random.normal();
  EXPECT_EQ(sample.gate(), "") << "error 5e-5 of the fluctuation, but a few roundings of the value";
}

TEST(GatesTest, ASingleResultIsJudgedByItsSize) {
  Sample sample(1);
  EXPECT_EQ(sample.gate(), "");
  sample.got[0] *= 1.001;
  EXPECT_NE(sample.gate(), "");
}

TEST(GatesTest, DenormalsMayBeFlushed) {
  Sample sample(100, 1e-40);
  for (double& value : sample.got) value = 0;
  EXPECT_EQ(sample.gate(), "");
}

TEST(GatesTest, AReferenceThatVariesMayBeMissedByItsOwnSpread) {
  Sample sample(5000);
  for (double& value : sample.got) value += 1e-4;
  EXPECT_EQ(sample.gate(), "centred-l2");
  sample.request.spread = 5e-5 * std::sqrt(5000.0);
  EXPECT_EQ(sample.gate(), "");
}

TEST(GatesTest, SpreadIsAShareOfWhatTheClassAllows) {
  Sample sample(5000);
  ASSERT_EQ(sample.gate(), "");
  std::vector<double> other = sample.got;
  EXPECT_EQ(spread_share(sample.request, other), 0);
  for (double& value : other) value += 1e-5;
  EXPECT_NEAR(spread_share(sample.request, other), 0.5, 0.05);
}

}  // namespace
}  // namespace kp::harness

// SPDX-License-Identifier: Apache-2.0
// Arithmetic on floats of 16 and 8 bits as CUDA's headers spell it, against the host's.
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include "kernels/rows.h"

namespace kp::vgpu {
namespace {

KP_COMPILED(Halves, "half");

using Half = _Float16;
float value(Half x) { return float(x); }
float brain(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }
std::uint16_t to_brain(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return std::uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/// What each row of half_math and brain_math begins with: the exact operations.
const std::vector<std::function<double(double, double)>>& exact_operations() {
  static const std::vector<std::function<double(double, double)>> ops{
      [](double p, double q) { return p + q; }, [](double p, double q) { return p - q; },
      [](double p, double q) { return p * q; }, [](double p, double q) { return p / q; },
      [](double p, double q) { return p * q + p; }};
  return ops;
}

TEST_P(Halves, ArithmeticIsRoundedOnce) {
  std::vector<Half> a(kN), b(kN);
  for (std::size_t i = 0; i < kN; ++i) a[i] = Half(moderate(i, 1)), b[i] = Half(moderate(i, 2));
  const auto pa = tensor("a", a), pb = tensor("b", b), y = output<Half>("y", 64 * kN);
  run("half_math", grid_of(1, kN), pa, pb, y, int(kN));
  const auto got = values<Half>(y, 64 * kN);
  const auto row = [&](std::size_t k, std::size_t i) { return value(got[k * kN + i]); };
  for (std::size_t i = 0; i < kN; ++i) {
    const double p = value(a[i]), q = value(b[i]);
    for (std::size_t k = 0; k < 5; ++k)
      EXPECT_NEAR(row(k, i), value(Half(exact_operations()[k](p, q))),
                  k == 3 ? std::abs(p / q) * 1e-3 : 0.0)
          << k << " " << i;
    EXPECT_EQ(row(5, i), value(Half(std::clamp(p + q, 0.0, 1.0))));
    EXPECT_EQ(row(8, i), value(Half(std::max(p * q + p, 0.0))));
    EXPECT_EQ(row(9, i), -p);
    EXPECT_EQ(row(11, i), std::max(p, q));
    EXPECT_NEAR(row(15, i), std::sqrt(std::abs(p)), std::sqrt(std::abs(p)) * 1e-3);
    EXPECT_NEAR(row(18, i), std::exp(p), std::exp(p) * 2e-3);
    EXPECT_NEAR(row(22, i), std::sin(p), 2e-3);
    EXPECT_EQ(row(28, i), std::floor(p));
    EXPECT_EQ(row(29, i), std::nearbyint(p));
    EXPECT_NEAR(row(31, i), std::tanh(p), 2e-3);
    EXPECT_LE(std::abs(row(32, i)), std::abs(float(p) * 1.001f));
    EXPECT_LE(row(33, i), float(p) * 1.001f);
    EXPECT_GE(row(34, i), float(p) * 1.001f);
    EXPECT_EQ(row(35, i), value(Half(int(i) * 77)));
    EXPECT_EQ(row(44, i), p == q ? p : q);
    EXPECT_EQ(row(45, i), p < q ? p : q);
  }
}

TEST_P(Halves, PairsAreTwoOfThem) {
  std::vector<Half> a(2 * kN), b(2 * kN);
  for (std::size_t i = 0; i < 2 * kN; ++i)
    a[i] = Half(moderate(i, 1)), b[i] = i % 5 == 0 ? a[i] : Half(moderate(i, 2));
  const auto pa = tensor("a", a), pb = tensor("b", b), y = output<Half>("y", 80 * kN);
  run("half2_math", grid_of(1, kN), pa, pb, y, int(kN));
  const auto got = values<Half>(y, 80 * kN);
  for (std::size_t i = 0; i < 2 * kN; ++i) {
    const auto row = [&](std::size_t k) { return value(got[k * 2 * kN + i]); };
    const double p = value(a[i]), q = value(b[i]);
    const std::size_t other = i ^ 1;
    for (const std::size_t k : {0u, 1u, 2u, 4u})
      EXPECT_EQ(row(k), value(Half(exact_operations()[k](p, q)))) << k << " " << i;
    EXPECT_EQ(row(10), std::max(p, q));
    EXPECT_NEAR(row(15), std::sin(p), 2e-3);
    EXPECT_EQ(row(20), p == q);
    EXPECT_EQ(row(21), p < q);
    EXPECT_EQ(row(22), p >= q);
    EXPECT_EQ(row(23), i % 2 == 0 ? p : value(b[other]));
    EXPECT_EQ(row(25), value(a[other]));
    EXPECT_EQ(std::bit_cast<std::uint16_t>(got[27 * 2 * kN + i]), p > q ? 0xffff : 0);
    EXPECT_EQ(std::bit_cast<std::uint16_t>(got[28 * 2 * kN + i]), p != q ? 0xffff : 0);
    const bool both = value(a[i & ~1u]) > value(b[i & ~1u]) && value(a[i | 1]) > value(b[i | 1]);
    EXPECT_EQ(row(29), both ? p : q);
    EXPECT_EQ(row(32), value(a[i ^ 2]));
  }
}

TEST_P(Halves, BfloatsAreShortFloats) {
  std::vector<std::uint16_t> a(2 * kN), b(2 * kN);
  for (std::size_t i = 0; i < 2 * kN; ++i)
    a[i] = to_brain(moderate(i, 3)), b[i] = to_brain(moderate(i, 5));
  const auto pa = tensor("a", a), pb = tensor("b", b), y = output<std::uint16_t>("y", 40 * kN),
             z = output<std::uint16_t>("z", 40 * kN);
  run("brain_math", grid_of(1, kN), pa, pb, y, int(kN));
  run("brain2_math", grid_of(1, kN), pa, pb, z, int(kN));
  const auto got = values<std::uint16_t>(y, 40 * kN), pairs = values<std::uint16_t>(z, 40 * kN);
  for (std::size_t i = 0; i < 2 * kN; ++i) {
    const double p = brain(a[i]), q = brain(b[i]);
    for (const std::size_t k : {0u, 1u, 2u, 4u}) {
      const auto expected = to_brain(float(exact_operations()[k](p, q)));
      EXPECT_TRUE(i >= kN || got[k * kN + i] == expected) << k << " " << i;
      EXPECT_EQ(pairs[k * 2 * kN + i], expected) << k << " " << i;
    }
    EXPECT_EQ(brain(pairs[11 * 2 * kN + i]), p > q);
    EXPECT_EQ(brain(pairs[12 * 2 * kN + i]), p != q);
  }
}

TEST_P(Halves, AtomicsOfHalvesAdd) {
  const auto h = tensor("h", std::vector<Half>(2)), h1 = tensor("h1", std::vector<Half>(4)),
             b = tensor("b", std::vector<std::uint16_t>(2)),
             b1 = tensor("b1", std::vector<std::uint16_t>(2));
  run("half_atomics", grid_of(2, 33), h, b, h1, b1);
  EXPECT_EQ(value(values<Half>(h, 2)[1]), 33.0f);
  EXPECT_EQ(brain(values<std::uint16_t>(b, 2)[1]), 132.0f);
  EXPECT_EQ(value(values<Half>(h1, 3)[2]), 22.0f);
  EXPECT_EQ(brain(values<std::uint16_t>(b1, 2)[0]), 34.0f);
}

TEST_P(Halves, BytesHoldFloats) {
  std::vector<float> x(kN);
  for (std::size_t i = 0; i < kN; ++i) x[i] = moderate(i, 1);
  const auto px = tensor("x", x), y = output<unsigned char>("y", 128), z = output<float>("z", 64);
  run("fp8", grid_of(1, kN), px, y, z);
  const auto got = values<float>(z, 64);
  for (std::size_t i = 0; i < kN; ++i) {
    EXPECT_NEAR(got[2 * i], x[i], std::abs(x[i]) / 16);
    EXPECT_NEAR(got[2 * i + 1], x[i], std::abs(x[i]) / 8);
  }
}

}  // namespace
}  // namespace kp::vgpu

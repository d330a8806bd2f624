// SPDX-License-Identifier: Apache-2.0
// The mathematical library on floats and doubles, against the host's.
#include <algorithm>
#include <cmath>
#include <functional>

#include "kernels/rows.h"

namespace kp::vgpu {
namespace {

KP_COMPILED(Mathematics, "math");

using FloatRow = std::pair<std::size_t, std::function<double(double)>>;

template <class T>
void expect_near_rows(const std::vector<T>& x, const std::vector<T>& got,
                      const std::vector<FloatRow>& rows, double tolerance) {
  for (const auto& [k, f] : rows)
    for (std::size_t i = 0; i < kN; ++i) {
      const double expected = f(double(x[i]));
      ASSERT_NEAR(double(got[k * kN + i]), expected, std::abs(expected) * tolerance + tolerance)
          << "row " << k << " of " << x[i];
    }
}

/// Small, large and very large arguments: the latter take the slow path of Payne and Hanek.
template <class T>
std::vector<T> arguments() {
  std::vector<T> x(3 * kN);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = T(moderate(i, 1)) * T(i % 4 == 0 ? 1.0 : i % 4 == 1 ? 1e3 : i % 4 == 2 ? 1e7 : 1e-2);
  return x;
}

TEST_P(Mathematics, FloatFunctionsAreThoseOfTheHost) {
  const auto x = arguments<float>();
  const auto px = tensor("x", x), y = output<float>("y", 40 * kN);
  run("functions", grid_of(1, kN), px, y, int(kN));
  const std::vector<FloatRow> rows{
      {0, [](double a) { return std::sin(a); }},
      {1, [](double a) { return std::cos(a); }},
      {5, [](double a) { return std::log(std::abs(a)); }},
      {10, [](double a) { return std::pow(std::abs(a), double(0.3f)); }},
      {11, [](double a) { return std::erf(a); }},
      {13, [](double a) { return std::tanh(a); }},
      {16, [](double a) { return std::atan(a); }},
      {20, [](double a) { return std::cbrt(a); }},
      {21, [](double a) { return 1 / std::sqrt(std::abs(a)); }},
      {28, [](double a) { return std::sin(a) + std::cos(a); }},
  };
  expect_near_rows(x, values<float>(y, 40 * kN), rows, 2e-6);
}

TEST_P(Mathematics, DoubleFunctionsAreThoseOfTheHost) {
  const auto x = arguments<double>();
  const auto px = tensor("x", x), y = output<double>("y", 60 * kN);
  run("doubles", grid_of(1, kN), px, y, int(kN));
  const std::vector<FloatRow> rows{
      {0, [](double a) { return std::sin(a); }},
      {1, [](double a) { return std::cos(a); }},
      {4, [](double a) { return std::log(std::abs(a)); }},
      {5, [](double a) { return std::pow(std::abs(a), 0.3); }},
      {6, [](double a) { return std::erf(a); }},
      {8, [](double a) { return std::tanh(a); }},
      {11, [](double a) { return std::cbrt(a); }},
      {12, [](double a) { return 1 / std::sqrt(std::abs(a)); }},
      {18, [](double a) { return std::sqrt(std::abs(a)); }},
      {20, [](double a) { return std::lgamma(std::abs(a) * 1e-3 + 1); }},
      {25, [](double a) { return std::floor(a); }},
      {26, [](double a) { return std::nearbyint(a); }},
      {27, [](double a) { return std::round(a); }},
      {34, [](double a) { return std::trunc(a); }},
      {39, [](double a) { return std::sin(a) * std::cos(a); }},
  };
  const auto got = values<double>(y, 60 * kN);
  for (std::size_t i = 0; i < kN; ++i) {
    EXPECT_EQ(got[17 * kN + i], x[i] / x[kN + i]);
    EXPECT_EQ(got[19 * kN + i], std::fma(x[i], x[kN + i], x[i]));
    EXPECT_EQ(got[14 * kN + i], std::fmod(x[i], x[kN + i]));
  }
  expect_near_rows(x, got, rows, 1e-12);
}

TEST_P(Mathematics, RoundingsOfFloats) {
  const auto x = arguments<float>();
  const auto px = tensor("x", x), y = output<float>("y", 48 * kN);
  run("roundings", grid_of(1, kN), px, y, int(kN));
  const auto got = values<float>(y, 48 * kN);
  for (std::size_t i = 0; i < kN; ++i) {
    const auto row = [&](std::size_t k) { return got[k * kN + i]; };
    const float a = x[i], b = x[kN + i], c = x[2 * kN + i];
    const double sum = double(a) + double(b);
    EXPECT_EQ(row(0), a + b);
    EXPECT_LE(std::abs(double(row(1))), std::abs(sum));
    EXPECT_GE(double(row(2)), sum);
    EXPECT_LE(double(row(3)), sum);
    EXPECT_GE(double(row(5)), double(a) * double(b));
    EXPECT_EQ(row(9), a / b);
    EXPECT_EQ(row(12), std::sqrt(std::abs(a)));
    EXPECT_EQ(row(14), 1.0f / a);
    EXPECT_EQ(row(16), std::clamp(a, 0.0f, 1.0f));
    EXPECT_EQ(row(17), std::fma(a, b, c));
    EXPECT_EQ(row(18), std::fmod(a, b));
    EXPECT_EQ(row(20), a / b);
    EXPECT_EQ(row(22), std::min(a, b));
    EXPECT_EQ(row(25), std::copysign(a, b));
    EXPECT_EQ(row(26), std::trunc(a));
    EXPECT_EQ(row(29), std::nearbyint(a));
    EXPECT_EQ(row(30), std::round(a));
    EXPECT_EQ(row(35), float(static_cast<long long>(a * 1e6f)));
    EXPECT_EQ(row(37), std::nextafter(a, b));
    EXPECT_EQ(row(38), std::scalbn(a, -4));
    EXPECT_EQ(row(40), std::logb(a));
  }
}

}  // namespace
}  // namespace kp::vgpu

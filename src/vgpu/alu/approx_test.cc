// SPDX-License-Identifier: Apache-2.0
// Approximations: within the bounds of the PTX manual everywhere, and near them somewhere.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "vgpu/alu/warp_fixture.h"

namespace kp::vgpu {
namespace {

using testing::apply_f32;
using testing::Warp;

struct Worst {
  double relative = 0, absolute = 0, ulp = 0;
};

/// The largest errors of `form` over `count` arguments spread by `argument` (0 <= t < 1).
Worst worst_of(const char* form, const std::function<float(double)>& argument,
               const std::function<long double(long double)>& exact) {
  Worst worst;
  Warp warp{std::string(form)};
  constexpr unsigned kCount = 1U << 16;
  for (unsigned first = 0; first < kCount; first += kLanes) {
    float x[kLanes];
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      x[lane] = argument((first + lane + 0.5) / kCount);
      warp.set(2, lane, std::bit_cast<std::uint32_t>(x[lane]));
    }
    warp.run();
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const double got = std::bit_cast<float>(static_cast<std::uint32_t>(warp.get(0, lane)));
      const long double want = exact(x[lane]);
      const auto error = static_cast<double>(std::fabs(got - want));
      const auto size = static_cast<double>(std::fabs(want));
      worst.absolute = std::max(worst.absolute, error);
      if (size < 1.2e-38) continue;
      worst.relative = std::max(worst.relative, error / size);
      worst.ulp = std::max(worst.ulp, error / std::exp2(std::floor(std::log2(size)) - 23));
    }
  }
  return worst;
}
/// Positive numbers of all magnitudes.
float any(double t) { return static_cast<float>(std::exp2(t * 250 - 125)); }

TEST(Approx, ReciprocalAndRootsStayWithinAndNearTheirBounds) {
  const Worst rcp = worst_of("rcp.approx.ftz.f32", any, [](long double x) { return 1 / x; });
  EXPECT_LE(rcp.ulp, 1.001);
  EXPECT_GE(rcp.ulp, 0.9);
  const Worst root = worst_of("sqrt.approx.ftz.f32", any, [](long double x) { return sqrtl(x); });
  EXPECT_LE(root.relative, 0x1.002p-23);
  const Worst inverse =
      worst_of("rsqrt.approx.f32", any, [](long double x) { return 1 / sqrtl(x); });
  EXPECT_LE(inverse.relative, std::exp2(-22.9));
  EXPECT_GE(inverse.relative, std::exp2(-23.5));
}

TEST(Approx, ExponentialAndLogarithmStayWithinAndNearTheirBounds) {
  const auto around = [](double t) { return static_cast<float>(t * 240 - 120); };
  const Worst ex2 = worst_of("ex2.approx.ftz.f32", around, [](long double x) { return exp2l(x); });
  EXPECT_LE(ex2.ulp, 2.001);
  EXPECT_GE(ex2.ulp, 1.5);
  const auto log = [](long double x) { return log2l(x); };
  const auto middle = [](double t) { return static_cast<float>(0.5 + 1.5 * t); };
  EXPECT_LE(worst_of("lg2.approx.ftz.f32", middle, log).absolute, 0x1p-22);
  EXPECT_GE(worst_of("lg2.approx.ftz.f32", middle, log).absolute, 0x1p-24);
  const auto far = [](double t) { return static_cast<float>(std::exp2(1 + t * 120)); };
  EXPECT_LE(worst_of("lg2.approx.f32", far, log).relative, 0x1.002p-22);
}

TEST(Approx, SineAndCosineStayWithinAndNearTheirBounds) {
  const auto turn = [](double t) { return static_cast<float>((2 * t - 1) * M_PI); };
  const Worst sine = worst_of("sin.approx.ftz.f32", turn, [](long double x) { return sinl(x); });
  EXPECT_LE(sine.absolute, std::exp2(-20.5));
  EXPECT_GE(sine.absolute, 0x1p-22);
  const Worst cosine = worst_of("cos.approx.ftz.f32", turn, [](long double x) { return cosl(x); });
  EXPECT_LE(cosine.absolute, std::exp2(-20.5));
  EXPECT_GE(cosine.absolute, 0x1p-22);
}

TEST(Approx, HyperbolicTangentStaysWithinAndNearItsBound) {
  const auto around = [](double t) { return static_cast<float>(t * 20 - 10); };
  const Worst tanh = worst_of("tanh.approx.f32", around, [](long double x) { return tanhl(x); });
  EXPECT_LE(tanh.relative, 0x1.002p-11);
  EXPECT_GE(tanh.relative, 0x1p-12);
}

TEST(Approx, DivisionStaysWithinTwoUnitsAndGivesUpLargeDivisors) {
  for (float a = 1.0F; a < 2.0F; a += 0.0037F)
    for (float b = 1.0F; b < 2.0F; b += 0.0041F) {
      const double exact = static_cast<double>(a) / static_cast<double>(b);
      const double error =
          std::fabs(static_cast<double>(apply_f32("div.approx.f32", {a, b})) - exact);
      ASSERT_LE(error, 2 * std::exp2(std::floor(std::log2(exact)) - 23)) << a << ' ' << b;
    }
  EXPECT_EQ(apply_f32("div.approx.f32", {1.0F, 0x1.8p126F}), 0.0F);
  EXPECT_TRUE(std::isnan(apply_f32("div.approx.f32", {INFINITY, 0x1.8p126F})));
  EXPECT_NE(apply_f32("div.full.f32", {1.0F, 0x1.8p126F}), 0.0F);
}

TEST(Approx, SpecialArgumentsGiveTheValuesOfTheManual) {
  EXPECT_EQ(apply_f32("ex2.approx.f32", {-INFINITY}), 0.0F);
  EXPECT_EQ(apply_f32("ex2.approx.f32", {INFINITY}), INFINITY);
  EXPECT_EQ(apply_f32("ex2.approx.f32", {-140.0F}), 0x1p-140F);
  EXPECT_EQ(apply_f32("ex2.approx.ftz.f32", {-140.0F}), 0.0F);
  EXPECT_EQ(apply_f32("ex2.approx.f32", {7.0F}), 128.0F);
  EXPECT_EQ(apply_f32("lg2.approx.f32", {0.0F}), -INFINITY);
  EXPECT_EQ(apply_f32("lg2.approx.f32", {INFINITY}), INFINITY);
  EXPECT_EQ(apply_f32("lg2.approx.f32", {1.0F}), 0.0F);
  EXPECT_EQ(apply_f32("lg2.approx.f32", {1024.0F}), 10.0F);
  EXPECT_EQ(apply_f32("lg2.approx.f32", {0x1p-149F}), -149.0F);
  EXPECT_TRUE(std::isnan(apply_f32("lg2.approx.f32", {-1.0F})));
  EXPECT_EQ(apply_f32("rcp.approx.ftz.f32", {0x1p-140F}), INFINITY);
  EXPECT_EQ(apply_f32("rcp.approx.f32", {-0.0F}), -INFINITY);
  EXPECT_EQ(apply_f32("rsqrt.approx.f32", {0.0F}), INFINITY);
  EXPECT_EQ(apply_f32("rsqrt.approx.f32", {-0.0F}), -INFINITY);
  EXPECT_TRUE(std::isnan(apply_f32("sqrt.approx.f32", {-4.0F})));
  EXPECT_EQ(apply_f32("cos.approx.f32", {0.0F}), 1.0F);
  EXPECT_EQ(apply_f32("sin.approx.f32", {0.0F}), 0.0F);
  EXPECT_TRUE(std::isnan(apply_f32("sin.approx.f32", {INFINITY})));
  EXPECT_EQ(apply_f32("tanh.approx.f32", {INFINITY}), 1.0F);
  EXPECT_EQ(apply_f32("tanh.approx.f32", {-INFINITY}), -1.0F);
  EXPECT_TRUE(std::signbit(apply_f32("tanh.approx.f32", {-0.0F})));
}

}  // namespace
}  // namespace kp::vgpu

// SPDX-License-Identifier: Apache-2.0
// The approximate instructions. Each value is computed in double, with more than 32 good bits, by
// the polynomials below, and then cut (rounded towards zero) to the width that the instruction is
// good for, so that the error stays within the PTX manual's bound and is no better than that of
// hardware. Bounds (PTX ISA, "Floating Point Instructions"), and in brackets the largest error of
// an H200 over 131072 arguments each:
//   rcp     1 ulp                                           (0.95 ulp)
//   sqrt    relative 2^-23                                  (2^-23.3)
//   rsqrt   relative 2^-22.9                                (2^-22.98)
//   ex2     2 ulp                                           (1.99 ulp)
//   lg2     absolute 2^-22 on (0.5, 2), else relative 2^-22 (2^-22.2, 2^-22.4)
//   sin     absolute 2^-20.5 on [-pi, pi]                   (2^-21.5)
//   cos     absolute 2^-20.5 on [-pi, pi]                   (2^-21.3)
//   tanh    relative 2^-11                                  (2^-16.5)
//   div     2 ulp for 2^-126 <= |b| <= 2^126
//   f16     ex2 relative 2^-9.9, tanh absolute 2^-10.987
//   bf16    ex2 relative 2^-7, tanh absolute 2^-8
//   f64     rcp and rsqrt .ftz keep the upper word
#include "vgpu/alu/narrow.h"

namespace kp::vgpu::KP_ALU_LEVEL {
namespace {

constexpr double kTwo128 = 0x1p128;

/// x cut to binary32, with the last kDrop bits of the fraction zero.
template <unsigned kDrop>
float cut(double x) {
  const auto near = static_cast<float>(x);
  const double got = static_cast<double>(near);
  const bool above = magnitude(got) > magnitude(x) && magnitude(x) < bits_of(kTwo128);
  const u32 bits = bits_of(near) - static_cast<u32>(above);
  return canonical(from_bits<float>(is_nan(near) ? bits : bits & (~0U << kDrop)));
}

/// The integer nearest to x, |x| < 2^51: adding 1.5 * 2^52 leaves no room for a fraction.
double nearest(double x) {
  constexpr double kMagic = 0x1.8p52;
  return (x + kMagic) - kMagic;
}
/// 2^n for integral n in [-1022, 1023].
double power(double n) {
  constexpr double kMagic = 0x1.8p52;
  return from_bits<double>((bits_of(n + kMagic) + 1023) << 52);
}

/// 2^x: Taylor series of 2^f, |f| <= 1/2; its first missing term is below 2^-36 relative.
double exp2(double x) {
  const double bounded = x < -200.0 ? -200.0 : (x > 200.0 ? 200.0 : x);
  const double n = nearest(bounded);
  const double t = (bounded - n) * 0x1.62e42fefa39efp-1;
  double sum = 1.0 / 362880;
  sum = sum * t + 1.0 / 40320;
  sum = sum * t + 1.0 / 5040;
  sum = sum * t + 1.0 / 720;
  sum = sum * t + 1.0 / 120;
  sum = sum * t + 1.0 / 24;
  sum = sum * t + 1.0 / 6;
  sum = sum * t + 0.5;
  sum = sum * t + 1.0;
  sum = sum * t + 1.0;
  return is_nan(x) ? x : sum * power(n);
}

/// log2 of a positive normal double: the series of atanh((m-1)/(m+1)), m in [sqrt 1/2, sqrt 2).
double log2_positive(double x) {
  constexpr u64 kRootHalf = 0x3fe6'a09e'667f'3bcd, kFraction = 0xf'ffff'ffff'ffff;
  const u64 shifted = bits_of(x) - kRootHalf;
  const double m = from_bits<double>((shifted & kFraction) + kRootHalf);
  // The exponent, as a signed number in the upper bits; 2^52 + 2^51 makes it a double without cvt.
  const u64 exponent = (shifted + 0x4000'0000'0000'0000) >> 52;
  const double e = from_bits<double>(exponent | 0x4330'0000'0000'0000) - (0x1p52 + 1024);
  const double s = (m - 1.0) / (m + 1.0), z = s * s;
  double sum = 1.0 / 13;
  sum = sum * z + 1.0 / 11;
  sum = sum * z + 1.0 / 9;
  sum = sum * z + 1.0 / 7;
  sum = sum * z + 1.0 / 5;
  sum = sum * z + 1.0 / 3;
  sum = sum * z + 1.0;
  return e + 2.0 * 0x1.71547652b82fep+0 * s * sum;
}
double log2(double x) {
  const double inf = from_bits<double>(Ieee<double>::kInfinity);
  const double r = x == 0.0 ? -inf : (x < 0.0 ? nan<double>() : log2_positive(x));
  return magnitude(x) >= Ieee<double>::kInfinity && !(x < 0.0) ? x : r;
}

/// sin(2 pi t): Taylor series on a quarter turn to either side; first missing term below 2^-36.
double sin_turns(double t) {
  const double half_turns = nearest(2.0 * t);
  const double x = (2.0 * t - half_turns) * 0x1.921fb54442d18p+1, z = x * x;
  double sum = -1.0 / 1307674368000;
  sum = sum * z + 1.0 / 6227020800;
  sum = sum * z - 1.0 / 39916800;
  sum = sum * z + 1.0 / 362880;
  sum = sum * z - 1.0 / 5040;
  sum = sum * z + 1.0 / 120;
  sum = sum * z - 1.0 / 6;
  sum = sum * z + 1.0;
  const u64 odd = bits_of(half_turns + 0x1.8p52) << 63;
  return from_bits<double>(bits_of(x * sum) ^ odd);
}

double tanh(double x) {
  const double size = from_bits<double>(magnitude(x)), z = x * x;
  const double e = exp2(-2.0 * 0x1.71547652b82fep+0 * size);
  const double large = (1.0 - e) / (1.0 + e);
  const double small = size * (1.0 - z * (1.0 / 3 - z * (2.0 / 15 - z * (17.0 / 315))));
  return from_bits<double>(bits_of(size < 0x1p-5 ? small : large) |
                           (bits_of(x) & Ieee<double>::kSign));
}

template <bool kFtz>
double in(float x) {
  return static_cast<double>(kFtz ? flush(x) : x);
}
template <bool kFtz>
float out(float x) {
  return kFtz ? flush(x) : x;
}

template <bool kFtz>
float rcp(float x) {
  return out<kFtz>(cut<0>(1.0 / in<kFtz>(x)));
}
template <bool kFtz>
float sqrt(float x) {
  return out<kFtz>(cut<0>(__builtin_sqrt(in<kFtz>(x))));
}
template <bool kFtz>
float rsqrt(float x) {
  return out<kFtz>(cut<0>(1.0 / __builtin_sqrt(in<kFtz>(x))));
}
template <bool kFtz>
float ex2(float x) {
  return out<kFtz>(cut<1>(exp2(in<kFtz>(x))));
}

/// a times the reciprocal of b cut to 25 bits. `kFull` keeps the range that div.approx gives up.
template <bool kFtz, bool kFull>
float div(float x, float y) {
  const double a = in<kFtz>(x), b = in<kFtz>(y);
  const bool lost = !kFull && magnitude(b) > bits_of(0x1p126);
  const double reciprocal = from_bits<double>(bits_of(1.0 / b) & ~u64{0x0fff'ffff});
  const double sign = from_bits<double>(bits_of(b) & Ieee<double>::kSign);
  const double r = a * (lost && !is_nan(b) ? sign : reciprocal);
  return out<kFtz>(canonical(static_cast<float>(r)));
}
template <bool kFtz>
float div_approx(float a, float b) {
  return div<kFtz, false>(a, b);
}
template <bool kFtz>
float div_full(float a, float b) {
  return div<kFtz, true>(a, b);
}

/// x cut to a multiple of `step`, a power of two; |x| < 2^51 * step.
inline double grid(double x, double step) {
  const double near = nearest(x / step) * step;
  return magnitude(near) > magnitude(x) ? near - (x < 0 ? -step : step) : near;
}
/// lg2 is good to 2^-22 in absolute terms only, which near 1 leaves few bits.
template <bool kFtz>
float lg2(float x) {
  const double r = log2(in<kFtz>(x));
  return out<kFtz>(cut<1>(magnitude(r) < bits_of(1.0) ? grid(r, 0x1p-23) : r));
}

/// The argument in turns as the hardware has it: one product in single precision, cut, with 25 bits
/// behind the point.
double turns(double x) {
  const double t = static_cast<double>(cut<0>(x * static_cast<double>(0.15915494F)));
  return magnitude(t) < bits_of(0x1p24) ? grid(t, 0x1p-25) : t;
}
/// The sine to the nearest multiple of 2^-23.
template <bool kFtz>
float wave(double turn) {
  const double r = nearest(sin_turns(turn) * 0x1p23) * 0x1p-23;
  return out<kFtz>(canonical(static_cast<float>(r)));
}
template <bool kFtz>
float sin(float x) {
  return wave<kFtz>(turns(in<kFtz>(x)));
}
template <bool kFtz>
float cos(float x) {
  return wave<kFtz>(turns(in<kFtz>(x)) + 0.25);
}

float tanh_f32(float x) { return cut<12>(tanh(static_cast<double>(x))); }
template <class N>
u16 ex2_16(u16 x) {
  const double r = exp2(static_cast<double>(N::widen(x)));
  const bool endless = r >= (N::Format::kExponent == 5 ? 65536.0 : kTwo128);
  return static_cast<u16>(endless ? N::Format::kInfinity
                                  : narrow<typename N::Format, Round::kZero>(r));
}
template <class N>
u16 tanh_16(u16 x) {
  return static_cast<u16>(
      narrow<typename N::Format, Round::kZero>(tanh(static_cast<double>(N::widen(x)))));
}
u16 ex2_bf16(u16 x) {
  const auto flushed = [](u16 v) { return static_cast<u16>((v & 0x7f80) == 0 ? v & 0x8000 : v); };
  return flushed(ex2_16<Bfloat>(flushed(x)));
}
u16 ex2_f16_ftz(u16 x) {
  const auto flushed = [](u16 v) { return static_cast<u16>((v & 0x7c00) == 0 ? v & 0x8000 : v); };
  return flushed(ex2_16<Half>(flushed(x)));
}
template <u16 (*F)(u16)>
u32 both(u32 x) {
  return static_cast<u32>(F(static_cast<u16>(x >> 16))) << 16 | F(static_cast<u16>(x));
}

double upper(double x) {
  const double flat = from_bits<double>(bits_of(x) & 0xffff'ffff'0000'0000);
  const bool tiny = (bits_of(x) & Ieee<double>::kInfinity) == 0;
  return tiny ? from_bits<double>(bits_of(x) & Ieee<double>::kSign) : flat;
}
double rcp_f64(double x) { return upper(canonical(1.0 / upper(x))); }
double rsqrt_f64_ftz(double x) { return upper(canonical(1.0 / __builtin_sqrt(upper(x)))); }
double rsqrt_f64(double x) { return canonical(1.0 / __builtin_sqrt(x)); }

constexpr Class kMufu = Class::kTranscendental;
#define KP_FTZ(name, f) op<f<false>>(name ".f32", kMufu), op<f<true>>(name ".ftz.f32", kMufu)
#define KP_16(name, f) op<f>(name, kMufu), op<both<f>>(name "x2", kMufu)

constexpr Entry kForms[] = {
    KP_FTZ("rcp.approx", rcp),
    KP_FTZ("sqrt.approx", sqrt),
    KP_FTZ("rsqrt.approx", rsqrt),
    KP_FTZ("ex2.approx", ex2),
    KP_FTZ("lg2.approx", lg2),
    KP_FTZ("sin.approx", sin),
    KP_FTZ("cos.approx", cos),
    KP_FTZ("div.approx", div_approx),
    KP_FTZ("div.full", div_full),
    op<tanh_f32>("tanh.approx.f32", kMufu),
    KP_16("tanh.approx.f16", tanh_16<Half>),
    KP_16("tanh.approx.bf16", tanh_16<Bfloat>),
    KP_16("ex2.approx.f16", ex2_16<Half>),
    KP_16("ex2.approx.ftz.f16", ex2_f16_ftz),
    KP_16("ex2.approx.ftz.bf16", ex2_bf16),
    op<rcp_f64>("rcp.approx.ftz.f64", kMufu),
    op<rsqrt_f64_ftz>("rsqrt.approx.ftz.f64", kMufu),
    op<rsqrt_f64>("rsqrt.approx.f64", kMufu),
};

}  // namespace

KP_ALU_FORMS(approx_forms)

}  // namespace kp::vgpu::KP_ALU_LEVEL

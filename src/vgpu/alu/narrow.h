// SPDX-License-Identifier: Apache-2.0
// Formats narrower than binary32 and rounding into them. Used by the family files only.
//
// Results of narrow arithmetic are rounded once: the exact value is first rounded to odd (the last
// bit of an inexact result is set) in a format with at least two more bits, which no later rounding
// can tell from the exact value (Boldo and Melquiond, IEEE Trans. Computers 57(4), 2008).
#pragma once
#include "vgpu/alu/ieee.h"
#include "vgpu/alu/rounding.h"

namespace kp::vgpu::KP_ALU_LEVEL {

/// A binary format of 1 sign bit, kExponent bits and kFraction bits; kMax is its largest finite
/// number.
struct HalfFormat {
  static constexpr unsigned kExponent = 5, kFraction = 10;
  static constexpr u32 kMax = 0x7bff, kInfinity = 0x7c00, kNan = 0x7fff, kSign = 0x8000;
};
struct BfloatFormat {
  static constexpr unsigned kExponent = 8, kFraction = 7;
  static constexpr u32 kMax = 0x7f7f, kInfinity = 0x7f80, kNan = 0x7fff, kSign = 0x8000;
};
struct E5m2Format {
  static constexpr unsigned kExponent = 5, kFraction = 2;
  static constexpr u32 kMax = 0x7b, kInfinity = 0x7c, kNan = 0x7f, kSign = 0x80;
};
/// Has no infinity: kInfinity names the first code above kMax, which is NaN.
struct E4m3Format {
  static constexpr unsigned kExponent = 4, kFraction = 3;
  static constexpr u32 kMax = 0x7e, kInfinity = 0x7f, kNan = 0x7f, kSign = 0x80;
};

/// What a finite value beyond kMax becomes.
enum class Beyond : u8 { kInfinity, kMax };

/// Whether q (with remainder `rest` of `unit`) goes up in magnitude.
template <Round kRound>
bool goes_up(u64 q, u64 rest, u64 unit, bool negative) {
  if constexpr (kRound == Round::kNearest) {
    return rest > unit / 2 || (rest == unit / 2 && (q & 1) != 0);
  } else if constexpr (kRound == Round::kZero) {
    return false;
  } else {
    return rest != 0 && negative == (kRound == Round::kDown);
  }
}

/// x rounded to Format, as its bits. An infinite x counts as beyond kMax where `kBeyond` is kMax; a
/// NaN keeps the upper bits of its payload.
template <class Format, Round kRound, Beyond kBeyond>
u32 narrow_passing(double x) {
  constexpr int kBias = (1 << (Format::kExponent - 1)) - 1, kLeast = 1 - kBias;
  const u64 size = magnitude(x);
  const bool negative = (bits_of(x) & Ieee<double>::kSign) != 0;
  const u32 sign = negative ? Format::kSign : 0U;
  const int field = static_cast<int>(size >> 52);
  const int exponent = (field == 0 ? 1 : field) - 1023;
  const u64 significand = (size & 0xf'ffff'ffff'ffff) | (field == 0 ? 0 : u64{1} << 52);
  const int below = exponent < kLeast ? kLeast - exponent : 0;
  const int wanted = 52 - static_cast<int>(Format::kFraction) + below;
  const int shift = wanted < 62 ? wanted : 62;
  const u64 unit = u64{1} << shift;
  const u64 q = significand >> shift, rest = significand & (unit - 1);
  const int steps = exponent < kLeast ? 0 : exponent - kLeast;
  const u64 code = (static_cast<u64>(steps) << Format::kFraction) + q +
                   static_cast<u64>(goes_up<kRound>(q, rest, unit, negative));
  const bool keep_max = kBeyond == Beyond::kMax || kRound == Round::kZero ||
                        (kRound == Round::kDown && !negative) || (kRound == Round::kUp && negative);
  const u32 finite =
      code > Format::kMax ? (keep_max ? Format::kMax : Format::kInfinity) : static_cast<u32>(code);
  const u32 endless = kBeyond == Beyond::kMax ? Format::kMax : Format::kInfinity;
  const u32 number = size >= Ieee<double>::kInfinity ? endless : finite;
  const u64 payload = (size | Ieee<double>::kQuiet) >> (52 - Format::kFraction);
  const u32 none =
      Format::kInfinity | (static_cast<u32>(payload) & ((1U << Format::kFraction) - 1));
  return sign | (size > Ieee<double>::kInfinity ? none : number);
}
/// The same with the format's one NaN.
template <class Format, Round kRound, Beyond kBeyond = Beyond::kInfinity>
u32 narrow(double x) {
  return is_nan(x) ? Format::kNan : narrow_passing<Format, kRound, kBeyond>(x);
}

/// binary32 to binary16, ties to even.
inline u16 half_from(float x) {
  const u32 sign = (bits_of(x) >> 16) & 0x8000, size = magnitude(x);
  // Adding 0.5 leaves a subnormal half, rounded, in the low bits of the sum.
  const u32 small = bits_of(from_bits<float>(size) + 0.5F) - 0x3f00'0000;
  const u32 usual = (size - 0x3800'0000 + 0xfff + ((size >> 13) & 1)) >> 13;
  const u32 large = size > Ieee<float>::kInfinity ? 0x7fffU : 0x7c00U;
  const u32 r = size < 0x3880'0000 ? small : (size < 0x4780'0000 ? usual : large);
  return static_cast<u16>(r == 0x7fff ? r : r | sign);
}
inline float float_from_half(u16 x) {
  const u32 sign = (x & 0x8000U) << 16, size = (x & 0x7fffU) << 13;
  const u32 field = size & 0x0f80'0000;
  const u32 usual = size + 0x3800'0000, large = size + 0x7000'0000;
  const float small = from_bits<float>(size + 0x3880'0000) - from_bits<float>(0x3880'0000);
  const u32 r = field == 0 ? bits_of(small) : (field == 0x0f80'0000 ? large : usual);
  return from_bits<float>(r | sign);
}
/// binary32 to bfloat16, ties to even.
inline u16 bfloat_from(float x) {
  const u32 r = (bits_of(x) + 0x7fff + ((bits_of(x) >> 16) & 1)) >> 16;
  return static_cast<u16>(is_nan(x) ? 0x7fff : r);
}
inline float float_from_bfloat(u16 x) { return from_bits<float>(static_cast<u32>(x) << 16); }

/// a + b rounded to odd; the error of the sum is exact (Knuth's two-sum).
template <class T>
T add_to_odd(T a, T b) {
  const T sum = a + b;
  const T part = sum - a;
  const T error = (a - (sum - part)) + (b - part);
  // Bitwise: a short circuit is a branch, which keeps the lane loop scalar.
  const bool inexact = (error > T{0}) | (error < T{0});
  using Bits = typename Ieee<T>::Bits;
  const Bits bits = bits_of(sum);
  const Bits step = (error > T{0}) == (sum > T{0}) ? Bits{1} : ~Bits{0};
  return from_bits<T>(inexact & ((bits & 1) == 0) ? bits + step : bits);
}
/// binary64 to binary32, rounded to odd.
inline float float_to_odd(double x) {
  const auto near = static_cast<float>(x);
  const double got = static_cast<double>(near);
  const u32 bits = bits_of(near);
  const u32 step = magnitude(got) < magnitude(x) ? 1U : ~0U;
  return from_bits<float>(is_nan(x) || got == x || (bits & 1) != 0 ? bits : bits + step);
}

/// How a 16-bit format computes: `Exact` holds every product of two values exactly.
struct Half {
  using Format = HalfFormat;
  using Exact = float;
  static float widen(u16 x) { return float_from_half(x); }
  static u16 round(float x) { return half_from(x); }
};
struct Bfloat {
  using Format = BfloatFormat;
  using Exact = double;
  static double widen(u16 x) { return static_cast<double>(float_from_bfloat(x)); }
  static u16 round(double x) { return bfloat_from(float_to_odd(x)); }
};

}  // namespace kp::vgpu::KP_ALU_LEVEL

// SPDX-License-Identifier: Apache-2.0
// One element of a matrix product, for tensor.cc. Floating-point sums follow the tensor cores of
// sm_90, as found by comparing with an H200, bit for bit on 131072 results over f16, bf16, tf32 and
// f16 accumulation:
//   all k products and the accumulator are aligned to the largest exponent among them (the exponent
//   of a product is the sum of its operands' exponents), cut (towards zero) 25 bits below it, and
//   added exactly; the sum is cut to f32, or rounded to nearest for an f16 accumulator.
// Integer products are exact and wrap (or saturate).
#pragma once
#include "vgpu/alu/narrow.h"

namespace kp::vgpu::KP_ALU_LEVEL {

constexpr int kKept = 25;          // bits kept below the largest exponent
constexpr int kNothing = -0x1000;  // the exponent of zero, below all others
constexpr unsigned kMostK = 16;

/// A finite number as significand * 2^(exponent - fraction bits of its format).
struct Term {
  s32 significand;
  s32 exponent;
};
template <unsigned kFraction, unsigned kExponent>
Term term(u32 bits) {
  constexpr s32 kBias = (1 << (kExponent - 1)) - 1;
  const u32 field = bits >> kFraction & ((1U << kExponent) - 1);
  const u32 low = bits & ((1U << kFraction) - 1);
  const auto size = static_cast<s32>(field == 0 ? low : low | 1U << kFraction);
  const bool negative = (bits >> (kFraction + kExponent) & 1) != 0;
  const s32 exponent = static_cast<s32>(field == 0 ? 1 : field) - kBias;
  return {negative ? -size : size, size == 0 ? kNothing : exponent};
}

struct F16 {
  static constexpr int kFraction = 10;
  static constexpr unsigned kBits = 16;
  static Term read(u32 x) { return term<10, 5>(x); }
  static double value(u32 x) { return static_cast<double>(float_from_half(static_cast<u16>(x))); }
};
struct Bf16 {
  static constexpr int kFraction = 7;
  static constexpr unsigned kBits = 16;
  static Term read(u32 x) { return term<7, 8>(x); }
  static double value(u32 x) { return static_cast<double>(float_from_bfloat(static_cast<u16>(x))); }
};
/// The upper 19 bits of an f32 register; the tensor core does not see the rest.
struct Tf32 {
  static constexpr int kFraction = 10;
  static constexpr unsigned kBits = 32;
  static Term read(u32 x) { return term<10, 8>(x >> 13); }
  static double value(u32 x) { return static_cast<double>(from_bits<float>(x & ~0x1fffU)); }
};

/// Accumulators.
struct InFloat {
  static constexpr int kFraction = 23;
  static constexpr unsigned kBits = 32;
  static Term read(u32 x) { return term<23, 8>(x); }
  static double value(u32 x) { return static_cast<double>(from_bits<float>(x)); }
  static u32 write(double x) {
    const auto near = static_cast<float>(x);
    const bool above = magnitude(static_cast<double>(near)) > magnitude(x);
    const bool endless = magnitude(x) >= bits_of(0x1p128);
    return bits_of(canonical(near)) - static_cast<u32>(above && !endless);
  }
};
struct InHalf : F16 {
  static u32 write(double x) { return narrow<HalfFormat, Round::kNearest>(x); }
};

inline s64 aligned(s64 significand, int up) {
  // Towards zero, on the magnitude.
  const s64 size = significand < 0 ? -significand : significand;
  const s64 r = up >= 0 ? size << up : (up > -63 ? size >> -up : 0);
  return significand < 0 ? -r : r;
}

/// C and D are the formats of the accumulator before and after.
template <class In, class C, class D>
u32 dot(const u32* a, const u32* b, unsigned k, u32 c) {
  s64 product[kMostK];
  s32 exponent[kMostK];
  const Term start = C::read(c);
  s32 top = start.exponent;
  double plain = C::value(c);
  for (unsigned i = 0; i < k; ++i) {
    const Term x = In::read(a[i]), y = In::read(b[i]);
    product[i] = static_cast<s64>(x.significand) * y.significand;
    exponent[i] = product[i] == 0 ? kNothing : x.exponent + y.exponent;
    top = exponent[i] > top ? exponent[i] : top;
    plain += In::value(a[i]) * In::value(b[i]);
  }
  // Infinities and NaN: the order of the sum does not matter to them, and all else is finite in
  // double.
  if (magnitude(plain) >= Ieee<double>::kInfinity) return D::write(plain);
  s64 sum = aligned(start.significand, kKept - C::kFraction - (top - start.exponent));
  for (unsigned i = 0; i < k; ++i)
    sum += aligned(product[i], kKept - 2 * In::kFraction - (top - exponent[i]));
  if (sum == 0) return 0;
  const double scale = from_bits<double>(static_cast<u64>(top - kKept + 1023) << 52);
  return D::write(static_cast<double>(sum) * scale);
}

template <class T>
struct Bytes {
  static constexpr unsigned kBits = 8;
  using Type = T;
};
struct InInteger {
  static constexpr unsigned kBits = 32;
};
template <class A, class B, bool kSaturate>
u32 dot_integer(const u32* a, const u32* b, unsigned k, u32 c) {
  s64 sum = static_cast<s32>(c);
  for (unsigned i = 0; i < k; ++i) sum += static_cast<A>(a[i]) * static_cast<B>(b[i]);
  constexpr s64 kMax = 0x7fff'ffff;
  if (kSaturate) sum = sum > kMax ? kMax : (sum < -kMax - 1 ? -kMax - 1 : sum);
  return static_cast<u32>(sum);
}

}  // namespace kp::vgpu::KP_ALU_LEVEL

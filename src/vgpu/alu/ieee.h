// SPDX-License-Identifier: Apache-2.0
// Bit-level facts of IEEE 754 binary32 and binary64 shared by the floating-point families: NaN,
// flushing and the ordering of minimum and maximum. Used by the family files only.
#pragma once
#include "vgpu/alu/lanes.h"

namespace kp::vgpu::KP_ALU_LEVEL {

template <class T>
struct Ieee;
template <>
struct Ieee<float> {
  using Bits = u32;
  static constexpr u32 kSign = 0x8000'0000, kInfinity = 0x7f80'0000, kQuiet = 0x0040'0000;
  // What sm_90 returns from f32 arithmetic for every NaN.
  static constexpr u32 kNan = 0x7fff'ffff;
};
template <>
struct Ieee<double> {
  using Bits = u64;
  static constexpr u64 kSign = 0x8000'0000'0000'0000, kInfinity = 0x7ff0'0000'0000'0000,
                       kQuiet = 0x0008'0000'0000'0000;
  static constexpr u64 kNan = 0xfff8'0000'0000'0000;
};

template <class T>
typename Ieee<T>::Bits bits_of(T x) {
  return __builtin_bit_cast(typename Ieee<T>::Bits, x);
}
template <class T>
T from_bits(typename Ieee<T>::Bits bits) {
  return __builtin_bit_cast(T, bits);
}
template <class T>
typename Ieee<T>::Bits magnitude(T x) {
  return bits_of(x) & ~Ieee<T>::kSign;
}
template <class T>
bool is_nan(T x) {
  return magnitude(x) > Ieee<T>::kInfinity;
}
template <class T>
T nan() {
  return from_bits<T>(Ieee<T>::kNan);
}
template <class T>
T canonical(T x) {
  return is_nan(x) ? nan<T>() : x;
}
/// A NaN as f64 arithmetic passes it on: the payload stays, the NaN becomes quiet.
template <class T>
T quiet(T x) {
  return from_bits<T>(bits_of(x) | Ieee<T>::kQuiet);
}
/// The result of f64 arithmetic: r when it is a number, else the last NaN among the operands, else
/// the NaN of an invalid operation.
template <class... T>
double settle(double r, T... operands) {
  double passed = nan<double>();
  ((passed = is_nan(operands) ? quiet(operands) : passed), ...);
  return is_nan(r) ? passed : r;
}

/// Subnormal numbers become zero of the same sign.
inline float flush(float x) {
  return (bits_of(x) & Ieee<float>::kInfinity) == 0
             ? from_bits<float>(bits_of(x) & Ieee<float>::kSign)
             : x;
}
/// Clamped to [+0, 1]; NaN gives +0.
template <class T>
T saturate(T x) {
  const T low = x > T{0} ? x : T{0};
  return low < T{1} ? low : T{1};
}

/// Bits in an order in which integers compare as the numbers do, -0 below +0.
template <class T>
auto ordered(T x) {
  using Bits = typename Ieee<T>::Bits;
  const Bits bits = bits_of(x);
  const Bits negative = Bits{0} - (bits >> (8 * sizeof(T) - 1));
  return static_cast<std::make_signed_t<Bits>>(bits ^ (negative >> 1));
}

/// minimum / maximum of PTX. A NaN operand loses against a number unless `kKeepNan`.
template <class T, bool kMaximum, bool kKeepNan>
T extreme(T a, T b) {
  const bool first = kMaximum ? ordered(a) >= ordered(b) : ordered(a) <= ordered(b);
  const T number = first ? a : b;
  if constexpr (kKeepNan) {
    return is_nan(a) || is_nan(b) ? nan<T>() : number;
  } else {
    const T other = is_nan(a) ? b : number;
    return canonical(is_nan(b) ? a : other);
  }
}

enum class Integral { kNearest, kZero, kDown, kUp };
/// x rounded to an integral value; kNearest takes ties to even.
template <Integral kWay, class T>
T integral(T x) {
  if constexpr (std::is_same_v<T, float>) {
    if constexpr (kWay == Integral::kNearest) return __builtin_rintf(x);
    if constexpr (kWay == Integral::kZero) return __builtin_truncf(x);
    if constexpr (kWay == Integral::kDown) return __builtin_floorf(x);
    return __builtin_ceilf(x);
  } else {
    if constexpr (kWay == Integral::kNearest) return __builtin_rint(x);
    if constexpr (kWay == Integral::kZero) return __builtin_trunc(x);
    if constexpr (kWay == Integral::kDown) return __builtin_floor(x);
    return __builtin_ceil(x);
  }
}

/// testp
template <class T>
bool is_finite(T x) {
  return magnitude(x) < Ieee<T>::kInfinity;
}
template <class T>
bool is_infinite(T x) {
  return magnitude(x) == Ieee<T>::kInfinity;
}
template <class T>
bool is_number(T x) {
  return !is_nan(x);
}
template <class T>
bool is_subnormal(T x) {
  constexpr auto kLeast = Ieee<T>::kInfinity & (~Ieee<T>::kInfinity + 1);
  return magnitude(x) != 0 && magnitude(x) < kLeast;
}
template <class T>
bool is_normal(T x) {
  return is_finite(x) && !is_subnormal(x);
}
/// The magnitude of b with the sign of a.
template <class T>
T copysign(T a, T b) {
  return from_bits<T>((bits_of(a) & Ieee<T>::kSign) | magnitude(b));
}

}  // namespace kp::vgpu::KP_ALU_LEVEL

// SPDX-License-Identifier: Apache-2.0
// cvt between integers, and between integers and floating point. A narrow integer result is
// extended to the whole word, because PTX extends it to the width of the destination register.
#include "vgpu/alu/narrow.h"

namespace kp::vgpu::KP_ALU_LEVEL {
namespace {

template <class T>
struct Range {
  static constexpr bool kSigned = std::is_signed_v<T>;
  static constexpr T kMax = static_cast<T>(kSigned ? (u64{1} << (8 * sizeof(T) - 1)) - 1 : ~u64{0});
  static constexpr T kMin = static_cast<T>(~kMax);
};

template <class D, class S>
D convert(S x) {
  return static_cast<D>(x);
}
template <class D, class S>
D convert_sat(S x) {
  if constexpr (std::is_signed_v<S>) {
    if (x < 0) {
      if constexpr (!Range<D>::kSigned) return D{0};
      return static_cast<s64>(x) < static_cast<s64>(Range<D>::kMin) ? Range<D>::kMin
                                                                    : static_cast<D>(x);
    }
  }
  return static_cast<u64>(x) > static_cast<u64>(Range<D>::kMax) ? Range<D>::kMax
                                                                : static_cast<D>(x);
}

/// The nearest double at or beyond which a 64-bit magnitude needs care: below 2^53 all is exact.
template <class S>
double exact_or_odd(S x) {
  if constexpr (sizeof(S) < 8) {
    return static_cast<double>(x);
  } else {
    const bool negative = std::is_signed_v<S> && (static_cast<u64>(x) >> 63) != 0;
    const u64 size = negative ? 0 - static_cast<u64>(x) : static_cast<u64>(x);
    const u64 odd =
        size < u64{1} << 53 ? size : (size | (size & 0x7ff ? 0x800U : 0U)) & ~u64{0x7ff};
    const auto r = static_cast<double>(odd);
    return negative ? -r : r;
  }
}

enum class To { kFloat, kDouble, kHalf, kBfloat };
template <To kTo, Round kRound, bool kSaturate, class S>
auto from_integer(S x) {
  if constexpr (kTo == To::kFloat) {
    const auto r = static_cast<float>(x);
    return kSaturate ? saturate(r) : r;
  } else if constexpr (kTo == To::kDouble) {
    const auto r = static_cast<double>(x);
    return kSaturate ? saturate(r) : r;
  } else {
    using Format = std::conditional_t<kTo == To::kHalf, HalfFormat, BfloatFormat>;
    const double r = exact_or_odd(x);
    return static_cast<u16>(narrow<Format, kRound>(kSaturate ? saturate(r) : r));
  }
}

/// An integral x as a D, clamped to the range of D. NaN, as on sm_90, gives 0 for up to 32 bits
/// from up to 32 bits, and else the sign bit alone.
template <class D, class T>
D clamp(T x) {
  // 2^n is exact in T where the largest D may not be.
  constexpr T kBeyond = static_cast<T>(u64{1} << (8 * sizeof(D) - 1)) * (Range<D>::kSigned ? 1 : 2);
  constexpr T kLeast = Range<D>::kSigned ? -kBeyond : T{0};
  constexpr bool kLong = sizeof(D) == 8 || sizeof(T) == 8;
  if (is_nan(x)) return kLong ? static_cast<D>(u64{1} << (8 * sizeof(D) - 1)) : D{0};
  if (x >= kBeyond) return Range<D>::kMax;
  if (x <= kLeast) return Range<D>::kMin;
  return static_cast<D>(x);
}

struct FromFloat {
  using Register = float;
  static float value(float x) { return x; }
};
struct FromFloatFtz {
  using Register = float;
  static float value(float x) { return flush(x); }
};
struct FromDouble {
  using Register = double;
  static double value(double x) { return x; }
};
struct FromHalf {
  using Register = u16;
  static float value(u16 x) { return float_from_half(x); }
};
struct FromBfloat {
  using Register = u16;
  static float value(u16 x) { return float_from_bfloat(x); }
};
template <class D, Integral kWay, class From>
D to_integer(typename From::Register x) {
  return clamp<D>(integral<kWay>(From::value(x)));
}

constexpr Class kConvert = Class::kConversion;
#define KP_TYPES(m, ...)                                                                  \
  m("u8", u8, __VA_ARGS__), m("s8", s8, __VA_ARGS__), m("u16", u16, __VA_ARGS__),         \
      m("s16", s16, __VA_ARGS__), m("u32", u32, __VA_ARGS__), m("s32", s32, __VA_ARGS__), \
      m("u64", u64, __VA_ARGS__), m("s64", s64, __VA_ARGS__)
#define KP_INTEGER(sname, s, dname, d)                 \
  op<convert<d, s>>("cvt." dname "." sname, kConvert), \
      op<convert_sat<d, s>>("cvt.sat." dname "." sname, kConvert)
#define KP_TO(dname, d) KP_TYPES(KP_INTEGER, dname, d)

#define KP_SOURCE_INTEGER(sname, s, to, dname, mod, sat)                                     \
  op<from_integer<to, Round::kNearest, sat, s>>("cvt.rn" mod "." dname "." sname, kConvert), \
      rounded_from<to, Round::kZero, sat, s>("cvt.rz" mod "." dname "." sname),              \
      rounded_from<to, Round::kDown, sat, s>("cvt.rm" mod "." dname "." sname),              \
      rounded_from<to, Round::kUp, sat, s>("cvt.rp" mod "." dname "." sname)
#define KP_TO_FLOAT(dname, to)                       \
  KP_TYPES(KP_SOURCE_INTEGER, to, dname, "", false), \
      KP_TYPES(KP_SOURCE_INTEGER, to, dname, ".sat", true)
/// For f32 and f64 the host rounds, for narrower formats narrow() does.
template <To kTo, Round kRound, bool kSaturate, class S>
constexpr Entry rounded_from(const char* form) {
  if constexpr (kTo == To::kFloat || kTo == To::kDouble) {
    return rounded<from_integer<kTo, Round::kNearest, kSaturate, S>, kRound>(form, kConvert);
  } else {
    return op<from_integer<kTo, kRound, kSaturate, S>>(form, kConvert);
  }
}

// Saturation is implied: conversions to integers always clamp.
#define KP_WAYS(dname, d, sname, mod, from)                                                  \
  op<to_integer<d, Integral::kNearest, from>>("cvt.rni" mod "." dname "." sname, kConvert),  \
      op<to_integer<d, Integral::kZero, from>>("cvt.rzi" mod "." dname "." sname, kConvert), \
      op<to_integer<d, Integral::kDown, from>>("cvt.rmi" mod "." dname "." sname, kConvert), \
      op<to_integer<d, Integral::kUp, from>>("cvt.rpi" mod "." dname "." sname, kConvert)
#define KP_FROM(sname, mod, from) KP_TYPES(KP_WAYS, sname, mod, from)

constexpr Entry kForms[] = {
    KP_TO("u8", u8),
    KP_TO("s8", s8),
    KP_TO("u16", u16),
    KP_TO("s16", s16),
    KP_TO("u32", u32),
    KP_TO("s32", s32),
    KP_TO("u64", u64),
    KP_TO("s64", s64),
    KP_TO_FLOAT("f32", To::kFloat),
    KP_TO_FLOAT("f64", To::kDouble),
    KP_TO_FLOAT("f16", To::kHalf),
    KP_TO_FLOAT("bf16", To::kBfloat),
    KP_FROM("f32", "", FromFloat),
    KP_FROM("f32", ".ftz", FromFloatFtz),
    KP_FROM("f64", "", FromDouble),
    KP_FROM("f16", "", FromHalf),
    KP_FROM("bf16", "", FromBfloat),
};

}  // namespace

KP_ALU_FORMS(convert_forms)

}  // namespace kp::vgpu::KP_ALU_LEVEL

// SPDX-License-Identifier: Apache-2.0
// cvt between floating-point formats, one or two values at a time, and rounding to integral values.
#include "vgpu/alu/narrow.h"

namespace kp::vgpu::KP_ALU_LEVEL {
namespace {

enum Mode : u32 { kPlain = 0, kFtz = 1, kSat = 2, kFtzSat = 3, kRelu = 4 };

template <Mode kMode>
float in(float x) {
  return (kMode & kFtz) != 0 ? flush(x) : x;
}
template <Mode kMode, class T>
T out(T x) {
  if constexpr ((kMode & kSat) != 0) return saturate(x);
  return canonical(x);
}

/// Conversions to and from f64 pass NaN payloads on, as on sm_90.
template <Mode kMode, class T>
T wider(T x) {
  return (kMode & kSat) != 0 ? saturate(x) : x;
}

// Conversions to f32 and f64: the host rounds, under the mode that run_rounded sets.
template <Mode kMode>
double f64_f32(float x) {
  const float value = in<kMode>(x);
  return wider<kMode>(static_cast<double>((kMode & kFtz) != 0 ? canonical(value) : value));
}
template <Mode kMode>
float f32_f64(double x) {
  return wider<kMode>(in<kMode>(static_cast<float>(x)));
}
template <Mode kMode>
float f32_f32(float x) {
  return kMode == kPlain ? x : out<kMode>(in<kMode>(x));
}
template <Mode kMode>
double f64_f64(double x) {
  return wider<kMode>(x);
}
template <Mode kMode>
float f32_f16(u16 x) {
  return out<kMode>(in<kMode>(float_from_half(x)));
}
template <Mode kMode>
float f32_bf16(u16 x) {
  return kMode == kPlain ? float_from_bfloat(x) : out<kMode>(in<kMode>(float_from_bfloat(x)));
}
template <Mode kMode>
double f64_f16(u16 x) {
  return wider<kMode>(static_cast<double>(float_from_half(x)));
}
template <Mode kMode>
double f64_bf16(u16 x) {
  return wider<kMode>(static_cast<double>(float_from_bfloat(x)));
}

template <Mode kMode>
double prepared(double x) {
  if constexpr ((kMode & kSat) != 0) return saturate(x);
  if constexpr ((kMode & kRelu) != 0) return x <= 0 ? 0.0 : x;
  return x;
}
template <class Format, Round kRound, Mode kMode>
u16 narrow_double(double x) {
  return static_cast<u16>(narrow_passing<Format, kRound, Beyond::kInfinity>(prepared<kMode>(x)));
}
template <class Format, Round kRound, Mode kMode>
u16 narrow_float(float x) {
  const double value = prepared<kMode>(static_cast<double>(x));
  if constexpr (kRound == Round::kNearest && std::is_same_v<Format, HalfFormat>) {
    return half_from(static_cast<float>(value));
  } else if constexpr (kRound == Round::kNearest && std::is_same_v<Format, BfloatFormat>) {
    return bfloat_from(static_cast<float>(value));
  } else {
    return static_cast<u16>(narrow<Format, kRound>(value));
  }
}
template <class Format, Round kRound, Mode kMode>
u16 narrow_half(u16 x) {
  return narrow_float<Format, kRound, kMode>(float_from_half(x));
}
template <class Format, Round kRound, Mode kMode>
u16 narrow_bfloat(u16 x) {
  return narrow_float<Format, kRound, kMode>(float_from_bfloat(x));
}

/// Two floats to one register: a in the high half, b in the low one.
template <class Format, Round kRound, Mode kMode>
u32 pair_float(float a, float b) {
  return static_cast<u32>(narrow_float<Format, kRound, kMode>(a)) << 16 |
         narrow_float<Format, kRound, kMode>(b);
}
template <class Format, bool kClampsZero>
u16 pair_eight(float a, float b) {
  const auto one = [](float x) {
    const double value = static_cast<double>(x);
    return narrow<Format, Round::kNearest, Beyond::kMax>(kClampsZero && value <= 0 ? 0.0 : value);
  };
  return static_cast<u16>(one(a) << 8 | one(b));
}
template <class Format, bool kClampsZero>
u16 pair_eight_of_halves(u32 x) {
  return pair_eight<Format, kClampsZero>(float_from_half(static_cast<u16>(x >> 16)),
                                         float_from_half(static_cast<u16>(x)));
}
u16 half_from_e5m2(u32 x) { return static_cast<u16>((x & 0x7f) > 0x7c ? 0x7fff : x << 8); }
u16 half_from_e4m3(u32 x) {
  // As a half whose exponent is 8 too small; every value is exact.
  const float size = float_from_half(static_cast<u16>((x & 0x7f) << 7)) * 256.0F;
  const u32 sign = (x & 0x80) << 8;
  return static_cast<u16>((x & 0x7f) == 0x7f ? 0x7fffU : half_from(size) | sign);
}
template <u16 (*F)(u32), bool kClampsZero>
u32 halves_of_eights(u16 x) {
  const auto one = [](u32 byte) -> u32 {
    const u32 r = F(byte);
    return kClampsZero && (r & 0x8000) != 0 ? 0 : r;
  };
  return one(x >> 8) << 16 | one(x & 0xff);
}

/// tf32: f32 with 10 fraction bits. `rna` rounds ties away from zero and only cuts a NaN.
constexpr u32 kTf32 = ~0x1fffU;
u32 tf32_rna(float x) { return (bits_of(x) + (is_finite(x) ? 0x1000 : 0)) & kTf32; }
template <bool kClampsZero>
u32 tf32(float x, u32 rounded) {
  const u32 number = kClampsZero && x <= 0 ? 0 : rounded;
  return (is_nan(x) ? Ieee<float>::kNan : number) & kTf32;
}
template <bool kClampsZero>
u32 tf32_rn(float x) {
  const u32 bits = bits_of(x);
  return tf32<kClampsZero>(x, bits + (is_finite(x) ? 0xfff + (bits >> 13 & 1) : 0));
}
template <bool kClampsZero>
u32 tf32_rz(float x) {
  return tf32<kClampsZero>(x, bits_of(x));
}

template <Integral kWay, Mode kMode>
float integral_f32(float x) {
  return out<kMode>(integral<kWay>(in<kMode>(x)));
}
template <Integral kWay, Mode kMode>
double integral_f64(double x) {
  return wider<kMode>(is_nan(x) ? quiet(x) : integral<kWay>(x));
}
template <Integral kWay, Mode kMode>
u16 integral_f16(u16 x) {
  return half_from(integral_f32<kWay, kMode>(float_from_half(x)));
}
template <Integral kWay, Mode kMode>
u16 integral_bf16(u16 x) {
  return bfloat_from(integral_f32<kWay, kMode>(float_from_bfloat(x)));
}

/// cvt.pack.sat: a above b, each saturated; the byte forms shift c's low half above them.
template <class D>
u32 packed_value(s32 x) {
  constexpr s32 kMax =
      std::is_signed_v<D> ? (1 << (8 * sizeof(D) - 1)) - 1 : (1 << 8 * sizeof(D)) - 1;
  constexpr s32 kMin = std::is_signed_v<D> ? -kMax - 1 : 0;
  const s32 r = x > kMax ? kMax : (x < kMin ? kMin : x);
  return static_cast<u32>(r) & ((1U << (8 * sizeof(D))) - 1);
}
template <class D>
u32 pack16(s32 a, s32 b) {
  return packed_value<D>(a) << 16 | packed_value<D>(b);
}
template <class D>
u32 pack8(s32 a, s32 b, u32 c) {
  return c << 16 | packed_value<D>(a) << 8 | packed_value<D>(b);
}

constexpr Class kConvert = Class::kConversion;
#define KP_EXACT(to, from, f, mode, mods) op<f<mode>>("cvt" mods "." to "." from, kConvert)
#define KP_WIDEN(to, from, f)                                             \
  KP_EXACT(to, from, f, kPlain, ""), KP_EXACT(to, from, f, kFtz, ".ftz"), \
      KP_EXACT(to, from, f, kSat, ".sat"), KP_EXACT(to, from, f, kFtzSat, ".ftz.sat")
#define KP_F32_F64(mode, mods)                                                  \
  op<f32_f64<mode>>("cvt.rn" mods ".f32.f64", kConvert),                        \
      rounded<f32_f64<mode>, Round::kZero>("cvt.rz" mods ".f32.f64", kConvert), \
      rounded<f32_f64<mode>, Round::kDown>("cvt.rm" mods ".f32.f64", kConvert), \
      rounded<f32_f64<mode>, Round::kUp>("cvt.rp" mods ".f32.f64", kConvert)
#define KP_ROUNDS(to, format, from, f, mode, mods)                                \
  op<f<format, Round::kNearest, mode>>("cvt.rn" mods "." to "." from, kConvert),  \
      op<f<format, Round::kZero, mode>>("cvt.rz" mods "." to "." from, kConvert), \
      op<f<format, Round::kDown, mode>>("cvt.rm" mods "." to "." from, kConvert), \
      op<f<format, Round::kUp, mode>>("cvt.rp" mods "." to "." from, kConvert)
#define KP_NARROW(to, format, from, f)                                                      \
  KP_ROUNDS(to, format, from, f, kPlain, ""), KP_ROUNDS(to, format, from, f, kSat, ".sat"), \
      KP_ROUNDS(to, format, from, f, kRelu, ".relu")
#define KP_NARROW_FTZ(to, format, from, f)                                      \
  KP_NARROW(to, format, from, f), KP_ROUNDS(to, format, from, f, kFtz, ".ftz"), \
      KP_ROUNDS(to, format, from, f, kFtzSat, ".ftz.sat")
#define KP_PAIR(to, format)                                                               \
  op<pair_float<format, Round::kNearest, kPlain>>("cvt.rn." to ".f32", kConvert),         \
      op<pair_float<format, Round::kZero, kPlain>>("cvt.rz." to ".f32", kConvert),        \
      op<pair_float<format, Round::kNearest, kRelu>>("cvt.rn.relu." to ".f32", kConvert), \
      op<pair_float<format, Round::kZero, kRelu>>("cvt.rz.relu." to ".f32", kConvert)
#define KP_EIGHT(to, format, half)                                                            \
  op<pair_eight<format, false>>("cvt.rn.satfinite." to ".f32", kConvert),                     \
      op<pair_eight<format, true>>("cvt.rn.satfinite.relu." to ".f32", kConvert),             \
      op<pair_eight_of_halves<format, false>>("cvt.rn.satfinite." to ".f16x2", kConvert),     \
      op<pair_eight_of_halves<format, true>>("cvt.rn.satfinite.relu." to ".f16x2", kConvert), \
      op<halves_of_eights<half, false>>("cvt.rn.f16x2." to, kConvert),                        \
      op<halves_of_eights<half, true>>("cvt.rn.relu.f16x2." to, kConvert)
#define KP_INTEGRAL(type, f, mode, mods)                                        \
  op<f<Integral::kNearest, mode>>("cvt.rni" mods "." type "." type, kConvert),  \
      op<f<Integral::kZero, mode>>("cvt.rzi" mods "." type "." type, kConvert), \
      op<f<Integral::kDown, mode>>("cvt.rmi" mods "." type "." type, kConvert), \
      op<f<Integral::kUp, mode>>("cvt.rpi" mods "." type "." type, kConvert)
#define KP_INTEGRALS(type, f) KP_INTEGRAL(type, f, kPlain, ""), KP_INTEGRAL(type, f, kSat, ".sat")

constexpr Entry kForms[] = {
    KP_WIDEN("f64", "f32", f64_f32),
    KP_WIDEN("f32", "f32", f32_f32),
    KP_EXACT("f64", "f64", f64_f64, kPlain, ""),
    KP_EXACT("f64", "f64", f64_f64, kSat, ".sat"),
    KP_WIDEN("f32", "f16", f32_f16),
    KP_WIDEN("f32", "bf16", f32_bf16),
    KP_EXACT("f64", "f16", f64_f16, kPlain, ""),
    KP_EXACT("f64", "f16", f64_f16, kSat, ".sat"),
    KP_EXACT("f64", "bf16", f64_bf16, kPlain, ""),
    KP_F32_F64(kPlain, ""),
    KP_F32_F64(kFtz, ".ftz"),
    KP_F32_F64(kSat, ".sat"),
    KP_F32_F64(kFtzSat, ".ftz.sat"),
    KP_NARROW_FTZ("f16", HalfFormat, "f32", narrow_float),
    KP_NARROW("f16", HalfFormat, "f64", narrow_double),
    KP_NARROW("f16", HalfFormat, "bf16", narrow_bfloat),
    KP_NARROW("bf16", BfloatFormat, "f32", narrow_float),
    KP_NARROW("bf16", BfloatFormat, "f64", narrow_double),
    KP_NARROW("bf16", BfloatFormat, "f16", narrow_half),
    KP_PAIR("f16x2", HalfFormat),
    KP_PAIR("bf16x2", BfloatFormat),
    KP_EIGHT("e4m3x2", E4m3Format, half_from_e4m3),
    KP_EIGHT("e5m2x2", E5m2Format, half_from_e5m2),
    op<tf32_rna>("cvt.rna.tf32.f32", kConvert),
    op<tf32_rn<false>>("cvt.rn.tf32.f32", kConvert),
    op<tf32_rn<true>>("cvt.rn.relu.tf32.f32", kConvert),
    op<tf32_rz<false>>("cvt.rz.tf32.f32", kConvert),
    op<tf32_rz<true>>("cvt.rz.relu.tf32.f32", kConvert),
    KP_INTEGRALS("f32", integral_f32),
    KP_INTEGRAL("f32", integral_f32, kFtz, ".ftz"),
    KP_INTEGRAL("f32", integral_f32, kFtzSat, ".ftz.sat"),
    KP_INTEGRALS("f64", integral_f64),
    KP_INTEGRALS("f16", integral_f16),
    KP_INTEGRALS("bf16", integral_bf16),
    op<pack16<u16>>("cvt.pack.sat.u16.s32", kConvert),
    op<pack16<s16>>("cvt.pack.sat.s16.s32", kConvert),
    op<pack8<u8>>("cvt.pack.sat.u8.s32.b32", kConvert),
    op<pack8<s8>>("cvt.pack.sat.s8.s32.b32", kConvert),
};

}  // namespace

KP_ALU_FORMS(convert_float_forms)

}  // namespace kp::vgpu::KP_ALU_LEVEL

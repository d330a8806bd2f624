// SPDX-License-Identifier: Apache-2.0
// Single precision. The host's own arithmetic is IEEE 754. As on sm_90, every NaN result is
// 0x7fffffff, and ftz flushes subnormal operands, and results that were below 2^-126 before they
// were rounded, to zero of the same sign.
#include "vgpu/alu/ieee.h"
#include "vgpu/alu/rounding.h"

namespace kp::vgpu::KP_ALU_LEVEL {
namespace {

enum Mode : u32 { kPlain = 0, kFtz = 1, kSat = 2, kFtzSat = 3 };

template <Mode kMode>
float in(float x) {
  return (kMode & kFtz) != 0 ? flush(x) : x;
}
template <Mode kMode>
float out(float x) {
  const float r = (kMode & kFtz) != 0 ? flush(x) : x;
  return (kMode & kSat) != 0 ? saturate(r) : canonical(r);
}

template <Mode kMode>
float add(float a, float b) {
  return out<kMode>(in<kMode>(a) + in<kMode>(b));
}
template <Mode kMode>
float sub(float a, float b) {
  return out<kMode>(in<kMode>(a) - in<kMode>(b));
}
/// Whether r = p + c, with p exact, is 2^-126 in magnitude only because it was rounded up. Both
/// sides of the comparison are exact in double whenever r is that small.
bool was_tiny(float r, double p, double c) {
  constexpr double kLeast = 0x1p-126;
  // Bitwise, here and below: a short circuit is a branch, which keeps the lane loop scalar.
  const bool below = ((r > 0) & (p < kLeast - c)) | ((r < 0) & (p > -kLeast - c));
  return (magnitude(r) == bits_of(static_cast<float>(kLeast))) & below;
}
template <Mode kMode>
float settle(float r, double p, double c) {
  if constexpr ((kMode & kFtz) != 0) {
    const u32 kept = was_tiny(r, p, c) ? Ieee<float>::kSign : ~0U;
    r = from_bits<float>(bits_of(r) & kept);
  }
  return out<kMode>(r);
}
template <Mode kMode>
float mul(float x, float y) {
  const float a = in<kMode>(x), b = in<kMode>(y);
  return settle<kMode>(a * b, static_cast<double>(a) * static_cast<double>(b), 0.0);
}
template <Mode kMode>
float fma(float x, float y, float z) {
  const float a = in<kMode>(x), b = in<kMode>(y), c = in<kMode>(z);
  return settle<kMode>(__builtin_fmaf(a, b, c), static_cast<double>(a) * static_cast<double>(b),
                       static_cast<double>(c));
}
template <Mode kMode>
float div(float x, float y) {
  const float a = in<kMode>(x), b = in<kMode>(y);
  float r = a / b;
  if constexpr ((kMode & kFtz) != 0) {
    const double least = from_bits<double>(magnitude(static_cast<double>(b))) * 0x1p-126;
    const bool tiny = from_bits<double>(magnitude(static_cast<double>(a))) < least;
    if (tiny) r = from_bits<float>(bits_of(r) & Ieee<float>::kSign);
  }
  return out<kMode>(r);
}
template <Mode kMode>
float rcp(float a) {
  return div<kMode>(1.0F, a);
}
template <Mode kMode>
float sqrt(float a) {
  return out<kMode>(__builtin_sqrtf(in<kMode>(a)));
}
template <Mode kMode>
float neg(float a) {
  return canonical(from_bits<float>(bits_of(in<kMode>(a)) ^ Ieee<float>::kSign));
}
template <Mode kMode>
float abs(float a) {
  return canonical(from_bits<float>(magnitude(in<kMode>(a))));
}

template <Mode kMode, bool kMaximum, bool kKeepNan>
float pick(float a, float b) {
  return extreme<float, kMaximum, kKeepNan>(in<kMode>(a), in<kMode>(b));
}
/// .xorsign.abs: picks by magnitude; the sign is the exclusive or of both signs.
template <Mode kMode, bool kMaximum, bool kKeepNan>
float pick_xorsign(float a, float b) {
  const u32 sign = (bits_of(a) ^ bits_of(b)) & Ieee<float>::kSign;
  const float r = pick<kMode, kMaximum, kKeepNan>(from_bits<float>(magnitude(a)),
                                                  from_bits<float>(magnitude(b)));
  return is_nan(r) ? r : from_bits<float>(bits_of(r) | sign);
}
template <Mode kMode, bool kKeepNan>
float min(float a, float b) {
  return pick<kMode, false, kKeepNan>(a, b);
}
template <Mode kMode, bool kKeepNan>
float max(float a, float b) {
  return pick<kMode, true, kKeepNan>(a, b);
}
template <Mode kMode, bool kKeepNan>
float min_xorsign(float a, float b) {
  return pick_xorsign<kMode, false, kKeepNan>(a, b);
}
template <Mode kMode, bool kKeepNan>
float max_xorsign(float a, float b) {
  return pick_xorsign<kMode, true, kKeepNan>(a, b);
}

#define KP_ROUNDINGS(name, suffix, f, cls)                                                 \
  op<f>(name suffix ".f32", cls), rounded<f, Round::kZero>(name ".rz" suffix ".f32", cls), \
      rounded<f, Round::kDown>(name ".rm" suffix ".f32", cls),                             \
      rounded<f, Round::kUp>(name ".rp" suffix ".f32", cls)
#define KP_FTZ(name, f, cls) \
  KP_ROUNDINGS(name, "", f<kPlain>, cls), KP_ROUNDINGS(name, ".ftz", f<kFtz>, cls)
#define KP_FTZ_SAT(name, f, cls)                                  \
  KP_FTZ(name, f, cls), KP_ROUNDINGS(name, ".sat", f<kSat>, cls), \
      KP_ROUNDINGS(name, ".ftz.sat", f<kFtzSat>, cls)
#define KP_PICK(name, suffix, f, keep)             \
  op<f<kPlain, keep>>(name suffix ".f32", kOther), \
      op<f<kFtz, keep>>(name ".ftz" suffix ".f32", kOther)
#define KP_PICKS(name)                                                 \
  KP_PICK(#name, "", name, false), KP_PICK(#name, ".NaN", name, true), \
      KP_PICK(#name, ".xorsign.abs", name##_xorsign, false),           \
      KP_PICK(#name, ".NaN.xorsign.abs", name##_xorsign, true)

constexpr Class kOther = Class::kFp32Other;
constexpr Entry kForms[] = {
    KP_FTZ_SAT("add", add, Class::kFadd),
    KP_FTZ_SAT("sub", sub, Class::kFadd),
    KP_FTZ_SAT("mul", mul, Class::kFmul),
    KP_FTZ_SAT("fma", fma, Class::kFfma),
    KP_FTZ_SAT("mad", fma, Class::kFfma),
    KP_FTZ("div", div, kOther),
    KP_FTZ("rcp", rcp, kOther),
    KP_FTZ("sqrt", sqrt, kOther),
    op<neg<kPlain>>("neg.f32", kOther),
    op<neg<kFtz>>("neg.ftz.f32", kOther),
    op<abs<kPlain>>("abs.f32", kOther),
    op<abs<kFtz>>("abs.ftz.f32", kOther),
    KP_PICKS(min),
    KP_PICKS(max),
    op<copysign<float>>("copysign.f32", kOther),
    op<is_finite<float>>("testp.finite.f32", kOther),
    op<is_infinite<float>>("testp.infinite.f32", kOther),
    op<is_number<float>>("testp.number.f32", kOther),
    op<is_nan<float>>("testp.notanumber.f32", kOther),
    op<is_normal<float>>("testp.normal.f32", kOther),
    op<is_subnormal<float>>("testp.subnormal.f32", kOther),
};

}  // namespace

KP_ALU_FORMS(float_forms)

}  // namespace kp::vgpu::KP_ALU_LEVEL

// SPDX-License-Identifier: Apache-2.0
// binary16 and bfloat16, alone and in pairs. Values are widened, computed rounded to odd, and
// rounded once to the format (narrow.h). NaN results are 0x7fff.
#include "vgpu/alu/narrow.h"

namespace kp::vgpu::KP_ALU_LEVEL {
namespace {

enum Mode : u32 { kPlain = 0, kFtz = 1, kSat = 2, kRelu = 4, kFtzSat = 3, kFtzRelu = 5 };

template <class N, Mode kMode>
u16 flushed(u16 x) {
  constexpr u32 kInfinity = N::Format::kInfinity, kSign = N::Format::kSign;
  return (kMode & kFtz) != 0 && (x & kInfinity) == 0 ? static_cast<u16>(x & kSign) : x;
}
template <class N, Mode kMode>
typename N::Exact in(u16 x) {
  return N::widen(flushed<N, kMode>(x));
}
template <class N, Mode kMode>
u16 out(typename N::Exact x) {
  using T = typename N::Exact;
  if constexpr ((kMode & kSat) != 0) x = saturate(x);
  if constexpr ((kMode & kRelu) != 0) x = x <= T{0} ? T{0} : x;
  if constexpr ((kMode & kFtz) != 0) {
    // As on sm_90, what is below the least normal number before rounding is flushed.
    const bool tiny = magnitude(x) < bits_of(T{0x1p-14});
    if (tiny) x = from_bits<T>(bits_of(x) & Ieee<T>::kSign);
  }
  return N::round(x);
}

template <class N>
bool is_nan16(u16 x) {
  return (x & 0x7fffU) > N::Format::kInfinity;
}

template <class N, Mode kMode>
u16 add(u16 a, u16 b) {
  return out<N, kMode>(add_to_odd(in<N, kMode>(a), in<N, kMode>(b)));
}
template <class N, Mode kMode>
u16 sub(u16 a, u16 b) {
  return out<N, kMode>(add_to_odd(in<N, kMode>(a), -in<N, kMode>(b)));
}
template <class N, Mode kMode>
u16 mul(u16 a, u16 b) {
  return out<N, kMode>(in<N, kMode>(a) * in<N, kMode>(b));
}
template <class N, Mode kMode>
u16 fma(u16 a, u16 b, u16 c) {
  return out<N, kMode>(add_to_odd(in<N, kMode>(a) * in<N, kMode>(b), in<N, kMode>(c)));
}
template <class N, Mode kMode>
u16 neg(u16 a) {
  return is_nan16<N>(a) ? u16{0x7fff} : static_cast<u16>(flushed<N, kMode>(a) ^ 0x8000U);
}
template <class N, Mode kMode>
u16 abs(u16 a) {
  return is_nan16<N>(a) ? u16{0x7fff} : static_cast<u16>(flushed<N, kMode>(a) & 0x7fffU);
}

inline s16 ordered16(u16 x) { return static_cast<s16>((x & 0x8000U) != 0 ? x ^ 0x7fffU : x); }

template <class N, Mode kMode, bool kMaximum, bool kKeepNan>
u16 pick(u16 x, u16 y) {
  const u16 a = flushed<N, kMode>(x), b = flushed<N, kMode>(y);
  const bool first = (ordered16(a) < ordered16(b)) != kMaximum;
  const u16 number = first ? a : b;
  const u16 rest = is_nan16<N>(a) ? b : (is_nan16<N>(b) ? a : number);
  const bool none = is_nan16<N>(a) && is_nan16<N>(b);
  const bool any = is_nan16<N>(a) || is_nan16<N>(b);
  return (kKeepNan ? any : none) ? u16{0x7fff} : rest;
}
template <class N, Mode kMode, bool kMaximum, bool kKeepNan>
u16 pick_xorsign(u16 x, u16 y) {
  const u16 r = pick<N, kMode, kMaximum, kKeepNan>(x & 0x7fffU, y & 0x7fffU);
  return is_nan16<N>(r) ? r : static_cast<u16>(r | ((x ^ y) & 0x8000U));
}
template <class N, Mode kMode, bool kKeepNan>
u16 min(u16 a, u16 b) {
  return pick<N, kMode, false, kKeepNan>(a, b);
}
template <class N, Mode kMode, bool kKeepNan>
u16 max(u16 a, u16 b) {
  return pick<N, kMode, true, kKeepNan>(a, b);
}
template <class N, Mode kMode, bool kKeepNan>
u16 min_xorsign(u16 a, u16 b) {
  return pick_xorsign<N, kMode, false, kKeepNan>(a, b);
}
template <class N, Mode kMode, bool kKeepNan>
u16 max_xorsign(u16 a, u16 b) {
  return pick_xorsign<N, kMode, true, kKeepNan>(a, b);
}

constexpr u32 pair(u32 low, u32 high) { return (low & 0xffff) | high << 16; }
/// F on the low and on the high halves.
template <auto F>
struct Pairwise;
template <class... A, u16 (*F)(A...)>
struct Pairwise<F> {
  template <class>
  using Word = u32;
  static u32 apply(Word<A>... x) {
    return pair(F(static_cast<u16>(x)...), F(static_cast<u16>(x >> 16)...));
  }
};

#define KP_ONE(name, f, cls) op<f>(name, cls), op<Pairwise<f>::apply>(name "x2", cls)
#define KP_H(name, mods, f, mode, cls) KP_ONE(name mods ".f16", (f<Half, mode>), cls)
#define KP_B(name, mods, f, mode, cls) KP_ONE(name mods ".bf16", (f<Bfloat, mode>), cls)
#define KP_FTZ(name, f, cls) KP_H(name, "", f, kPlain, cls), KP_H(name, ".ftz", f, kFtz, cls)
#define KP_ARITHMETIC(name, f, cls)                                                                \
  KP_FTZ(name, f, cls), KP_H(name, ".sat", f, kSat, cls), KP_H(name, ".ftz.sat", f, kFtzSat, cls), \
      KP_B(name, "", f, kPlain, cls)
#define KP_PICK(name, mods, f, keep)                                  \
  KP_ONE(name mods ".f16", (f<Half, kPlain, keep>), kOther),          \
      KP_ONE(name ".ftz" mods ".f16", (f<Half, kFtz, keep>), kOther), \
      KP_ONE(name mods ".bf16", (f<Bfloat, kPlain, keep>), kOther)
#define KP_PICKS(name)                                                 \
  KP_PICK(#name, "", name, false), KP_PICK(#name, ".NaN", name, true), \
      KP_PICK(#name, ".xorsign.abs", name##_xorsign, false),           \
      KP_PICK(#name, ".NaN.xorsign.abs", name##_xorsign, true)

constexpr Class kOther = Class::kFp16Other;
constexpr Entry kForms[] = {
    KP_ARITHMETIC("add", add, Class::kHadd),
    KP_ARITHMETIC("sub", sub, Class::kHadd),
    KP_ARITHMETIC("mul", mul, Class::kHmul),
    KP_ARITHMETIC("fma", fma, Class::kHfma),
    KP_H("fma", ".relu", fma, kRelu, Class::kHfma),
    KP_H("fma", ".ftz.relu", fma, kFtzRelu, Class::kHfma),
    KP_B("fma", ".relu", fma, kRelu, Class::kHfma),
    KP_FTZ("neg", neg, kOther),
    KP_B("neg", "", neg, kPlain, kOther),
    KP_FTZ("abs", abs, kOther),
    KP_B("abs", "", abs, kPlain, kOther),
    KP_PICKS(min),
    KP_PICKS(max),
};

}  // namespace

KP_ALU_FORMS(half_forms)

}  // namespace kp::vgpu::KP_ALU_LEVEL

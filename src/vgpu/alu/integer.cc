// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic. Quotient and remainder by zero, which PTX leaves open, are all ones, as on
// sm_90; the most negative value divided by -1 wraps.
#include "vgpu/alu/lanes.h"

namespace kp::vgpu::KP_ALU_LEVEL {
namespace {

template <class T>
using Unsigned = std::make_unsigned_t<T>;
// Narrow operands would promote to int, whose overflow is undefined; 32 bits or more wrap.
template <class T>
using Wrap = std::conditional_t<(sizeof(T) < 4), u32, Unsigned<T>>;
template <class T>
struct Twice;
template <>
struct Twice<u16> {
  using type = u32;
};
template <>
struct Twice<s16> {
  using type = s32;
};
template <>
struct Twice<u32> {
  using type = u64;
};
template <>
struct Twice<s32> {
  using type = s64;
};
template <>
struct Twice<u64> {
  using type = u128;
};
template <>
struct Twice<s64> {
  using type = s128;
};
template <class T>
using Wide = typename Twice<T>::type;

template <class T>
constexpr Wrap<T> wrap(T value) {
  return static_cast<Wrap<T>>(value);
}

template <class T>
T add(T a, T b) {
  return static_cast<T>(wrap(a) + wrap(b));
}
template <class T>
T sub(T a, T b) {
  return static_cast<T>(wrap(a) - wrap(b));
}
template <class T>
T mul(T a, T b) {
  return static_cast<T>(wrap(a) * wrap(b));
}
template <class T>
Wide<T> mul_wide(T a, T b) {
  return static_cast<Wide<T>>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b));
}
template <class T>
T mul_hi(T a, T b) {
  return static_cast<T>(mul_wide(a, b) >> (8 * sizeof(T)));
}
template <class T>
T mad(T a, T b, T c) {
  return add(mul(a, b), c);
}
template <class T>
T mad_hi(T a, T b, T c) {
  return add(mul_hi(a, b), c);
}
template <class T>
Wide<T> mad_wide(T a, T b, Wide<T> c) {
  return add(mul_wide(a, b), c);
}

constexpr s32 kMax32 = 0x7fff'ffff;
constexpr s32 kMin32 = -kMax32 - 1;
s32 saturate(s64 value) {
  return static_cast<s32>(value > kMax32 ? kMax32 : value < kMin32 ? kMin32 : value);
}
s32 add_sat(s32 a, s32 b) { return saturate(static_cast<s64>(a) + b); }
s32 sub_sat(s32 a, s32 b) { return saturate(static_cast<s64>(a) - b); }
s32 mad_hi_sat(s32 a, s32 b, s32 c) { return saturate(static_cast<s64>(mul_hi(a, b)) + c); }

// mul24 multiplies the low 24 bits and gives bits 0..31 (lo) or 16..47 (hi) of the 48-bit product.
template <class T>
T low24(T a) {
  return static_cast<T>(static_cast<T>(static_cast<u32>(a) << 8) >> 8);
}
template <class T>
T mul24(T a, T b) {
  return static_cast<T>(mul_wide(low24(a), low24(b)));
}
template <class T>
T mul24_hi(T a, T b) {
  return static_cast<T>(mul_wide(low24(a), low24(b)) >> 16);
}
template <class T>
T mad24(T a, T b, T c) {
  return add(mul24(a, b), c);
}
template <class T>
T mad24_hi(T a, T b, T c) {
  return add(mul24_hi(a, b), c);
}
s32 mad24_hi_sat(s32 a, s32 b, s32 c) { return saturate(static_cast<s64>(mul24_hi(a, b)) + c); }

template <class T>
T neg(T a) {
  return static_cast<T>(Wrap<T>{0} - wrap(a));
}
template <class T>
T abs(T a) {
  return a < 0 ? neg(a) : a;
}
template <class T>
T div(T a, T b) {
  if (b == 0) return static_cast<T>(~T{0});
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return neg(a);
  }
  return static_cast<T>(a / b);
}
template <class T>
T rem(T a, T b) {
  if (b == 0) return static_cast<T>(~T{0});
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return 0;
  }
  return static_cast<T>(a % b);
}
template <class T>
T min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
T max(T a, T b) {
  return a < b ? b : a;
}
template <class T>
T min_relu(T a, T b) {
  return max(min(a, b), T{0});
}
template <class T>
T max_relu(T a, T b) {
  return max(max(a, b), T{0});
}
template <class T>
T sad(T a, T b, T c) {
  return static_cast<T>(wrap(c) + (a < b ? wrap(b) - wrap(a) : wrap(a) - wrap(b)));
}

// Two 16-bit values in one register (sm_90: add, min, max).
template <class T, T (*F)(T, T)>
u32 packed(u32 a, u32 b) {
  const auto low = static_cast<u16>(F(static_cast<T>(a), static_cast<T>(b)));
  const auto high = static_cast<u16>(F(static_cast<T>(a >> 16), static_cast<T>(b >> 16)));
  return static_cast<u32>(high) << 16 | low;
}

#define KP_ALL(name, f)                                                                        \
  op<f<u16>>(name ".u16", kInt), op<f<s16>>(name ".s16", kInt), op<f<u32>>(name ".u32", kInt), \
      op<f<s32>>(name ".s32", kInt), op<f<u64>>(name ".u64", kInt), op<f<s64>>(name ".s64", kInt)
#define KP_32(name, f) op<f<u32>>(name ".u32", kInt), op<f<s32>>(name ".s32", kInt)
#define KP_16_32(name, f)                                                                      \
  op<f<u16>>(name ".u16", kInt), op<f<s16>>(name ".s16", kInt), op<f<u32>>(name ".u32", kInt), \
      op<f<s32>>(name ".s32", kInt)
#define KP_SIGNED(name, f) \
  op<f<s16>>(name ".s16", kInt), op<f<s32>>(name ".s32", kInt), op<f<s64>>(name ".s64", kInt)

constexpr Class kInt = Class::kInteger;
constexpr Entry kForms[] = {
    KP_ALL("add", add),
    KP_ALL("sub", sub),
    KP_ALL("mul", mul),
    KP_ALL("mul.hi", mul_hi),
    KP_16_32("mul.wide", mul_wide),
    KP_ALL("mad", mad),
    KP_ALL("mad.hi", mad_hi),
    KP_16_32("mad.wide", mad_wide),
    op<add_sat>("add.sat.s32", kInt),
    op<sub_sat>("sub.sat.s32", kInt),
    op<mad_hi_sat>("mad.hi.sat.s32", kInt),
    KP_32("mul24", mul24),
    KP_32("mul24.hi", mul24_hi),
    KP_32("mad24", mad24),
    KP_32("mad24.hi", mad24_hi),
    op<mad24_hi_sat>("mad24.hi.sat.s32", kInt),
    KP_SIGNED("neg", neg),
    KP_SIGNED("abs", abs),
    KP_ALL("div", div),
    KP_ALL("rem", rem),
    KP_ALL("min", min),
    KP_ALL("max", max),
    op<min_relu<s32>>("min.relu.s32", kInt),
    op<max_relu<s32>>("max.relu.s32", kInt),
    KP_ALL("sad", sad),
    op<packed<u16, add<u16>>>("add.u16x2", kInt),
    op<packed<s16, add<s16>>>("add.s16x2", kInt),
    op<packed<u16, min<u16>>>("min.u16x2", kInt),
    op<packed<s16, min<s16>>>("min.s16x2", kInt),
    op<packed<u16, max<u16>>>("max.u16x2", kInt),
    op<packed<s16, max<s16>>>("max.s16x2", kInt),
    op<packed<s16, min_relu<s16>>>("min.relu.s16x2", kInt),
    op<packed<s16, max_relu<s16>>>("max.relu.s16x2", kInt),
};

}  // namespace

KP_ALU_FORMS(integer_forms)

}  // namespace kp::vgpu::KP_ALU_LEVEL

// SPDX-License-Identifier: Apache-2.0
// Multi-word arithmetic through the carry flag CC.CF, which is a predicate register here: written
// as dst2 by the .cc forms, and read as the last source by addc, subc and madc. A subtraction adds
// the complement, so that its flag says "no borrow": the code that compilers make for 128-bit
// division reads it with addc behind subc.cc.
#include "vgpu/alu/lanes.h"

namespace kp::vgpu::KP_ALU_LEVEL {
namespace {

template <class T>
struct Carried {
  T value;
  bool carry;
};
template <class T>
Carried<T> plus(T a, T b, bool in) {
  const T sum = a + b;
  const T all = sum + static_cast<T>(in);
  return {all, sum < a || all < sum};
}
template <class T>
Carried<T> minus(T a, T b, bool in) {
  return plus(a, static_cast<T>(~b), in);
}
u32 product(u32 a, u32 b) { return a * b; }
u64 product(u64 a, u64 b) { return a * b; }
template <class T, class Wide>
T product_hi(T a, T b) {
  using Bits = std::make_unsigned_t<T>;
  return static_cast<T>(static_cast<Wide>(static_cast<Wide>(a) * static_cast<Wide>(b)) >>
                        (8 * sizeof(Bits)));
}

template <class T>
Two<T, bool> out(Carried<T> r) {
  return {r.value, r.carry};
}
template <class T>
Two<T, bool> add_cc(T a, T b) {
  return out(plus(a, b, false));
}
template <class T>
T addc(T a, T b, bool in) {
  return plus(a, b, in).value;
}
template <class T>
Two<T, bool> addc_cc(T a, T b, bool in) {
  return out(plus(a, b, in));
}
template <class T>
Two<T, bool> sub_cc(T a, T b) {
  return out(minus(a, b, true));
}
template <class T>
T subc(T a, T b, bool in) {
  return minus(a, b, in).value;
}
template <class T>
Two<T, bool> subc_cc(T a, T b, bool in) {
  return out(minus(a, b, in));
}

template <class T>
Two<T, bool> mad_cc(T a, T b, T c) {
  return out(plus(product(a, b), c, false));
}
template <class T>
T madc(T a, T b, T c, bool in) {
  return plus(product(a, b), c, in).value;
}
template <class T>
Two<T, bool> madc_cc(T a, T b, T c, bool in) {
  return out(plus(product(a, b), c, in));
}

// T is signed for the .s forms: only the high half of the product depends on it.
template <class T, class Wide, class Bits = std::make_unsigned_t<T>>
Two<Bits, bool> mad_hi_cc(T a, T b, Bits c) {
  return out(plus(static_cast<Bits>(product_hi<T, Wide>(a, b)), c, false));
}
template <class T, class Wide, class Bits = std::make_unsigned_t<T>>
Bits madc_hi(T a, T b, Bits c, bool in) {
  return plus(static_cast<Bits>(product_hi<T, Wide>(a, b)), c, in).value;
}
template <class T, class Wide, class Bits = std::make_unsigned_t<T>>
Two<Bits, bool> madc_hi_cc(T a, T b, Bits c, bool in) {
  return out(plus(static_cast<Bits>(product_hi<T, Wide>(a, b)), c, in));
}

#define KP_WORDS(name, f)                                                                      \
  op<f<u32>>(name ".u32", kInt), op<f<u32>>(name ".s32", kInt), op<f<u64>>(name ".u64", kInt), \
      op<f<u64>>(name ".s64", kInt)
#define KP_HIGH(name, f)                                                  \
  op<f<u32, u64>>(name ".u32", kInt), op<f<s32, s64>>(name ".s32", kInt), \
      op<f<u64, u128>>(name ".u64", kInt), op<f<s64, s128>>(name ".s64", kInt)

constexpr Class kInt = Class::kInteger;
constexpr Entry kForms[] = {
    KP_WORDS("add.cc", add_cc),      KP_WORDS("addc", addc),      KP_WORDS("addc.cc", addc_cc),
    KP_WORDS("sub.cc", sub_cc),      KP_WORDS("subc", subc),      KP_WORDS("subc.cc", subc_cc),
    KP_WORDS("mad.cc", mad_cc),      KP_WORDS("madc", madc),      KP_WORDS("madc.cc", madc_cc),
    KP_HIGH("mad.hi.cc", mad_hi_cc), KP_HIGH("madc.hi", madc_hi), KP_HIGH("madc.hi.cc", madc_hi_cc),
};

}  // namespace

KP_ALU_FORMS(carry_forms)

}  // namespace kp::vgpu::KP_ALU_LEVEL

// SPDX-License-Identifier: Apache-2.0
// Comparison and selection. setp and set compare into a mask of lanes first; Operands::imm then
// says how the mask combines with predicate c (bits 0..1) and what `set` writes for true
// (bits 2..3); alu.cc fills it in from the modifiers.
#include "vgpu/alu/compare.h"

#include "vgpu/alu/narrow.h"

namespace kp::vgpu::KP_ALU_LEVEL {
namespace {

enum class Test { kEq, kNe, kLt, kLe, kGt, kGe, kNumber, kNan };

template <Test kTest, bool kUnordered, class T>
bool holds(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    const bool unordered = is_nan(a) || is_nan(b);
    if constexpr (kTest == Test::kNumber) return !unordered;
    if constexpr (kTest == Test::kNan) return unordered;
    // != is true for NaN by itself; the ordered form is not.
    if constexpr (kTest == Test::kNe) return a != b && (kUnordered || !unordered);
    if constexpr (kUnordered) return unordered || holds<kTest, false>(a, b);
  }
  if constexpr (kTest == Test::kEq) return a == b;
  if constexpr (kTest == Test::kNe) return a != b;
  if constexpr (kTest == Test::kLt) return a < b;
  if constexpr (kTest == Test::kLe) return a <= b;
  if constexpr (kTest == Test::kGt) return a > b;
  return a >= b;
}

/// A register type with the way its lanes compare.
template <class T>
struct Plain {
  using Register = T;
  static T value(T x) { return x; }
};
struct Flushed {
  using Register = float;
  static float value(float x) { return flush(x); }
};
struct Half16 {
  using Register = u16;
  static float value(u16 x) { return float_from_half(x); }
};
struct FlushedHalf16 {
  using Register = u16;
  static float value(u16 x) {
    const float r = float_from_half(x);
    return (x & 0x7c00) == 0 ? from_bits<float>(bits_of(r) & Ieee<float>::kSign) : r;
  }
};
struct Bfloat16 {
  using Register = u16;
  static float value(u16 x) { return float_from_bfloat(x); }
};

template <Test kTest, bool kUnordered, class From>
struct Compare {
  using T = typename From::Register;

  [[gnu::noinline]] static u32 mask(const std::byte* file, const Operands& at) {
    const Source<T> a(file, at.a, 0), b(file, at.b, 0);
    u32 result = 0;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const bool on = holds<kTest, kUnordered>(From::value(a[lane]), From::value(b[lane]));
      result |= static_cast<u32>(on) << lane;
    }
    return result;
  }
  static u32 combine(const std::byte* file, const Operands& at, u32 mask) {
    u32 c = 0;
    switch (static_cast<Combine>(at.imm & 3)) {
      case Combine::kAlone:
        return mask;
      case Combine::kAnd:
        __builtin_memcpy(&c, file + at.c, 4);
        return mask & c;
      case Combine::kOr:
        __builtin_memcpy(&c, file + at.c, 4);
        return mask | c;
      case Combine::kXor:
        __builtin_memcpy(&c, file + at.c, 4);
        return mask ^ c;
    }
    return mask;
  }
  static void put(std::byte* file, u32 offset, u32 mask, u32 active) {
    if (offset == kNone) return;
    u32 before;
    __builtin_memcpy(&before, file + offset, 4);
    const u32 word = (before & ~active) | (mask & active);
    __builtin_memcpy(file + offset, &word, 4);
  }
  static void setp(std::byte* file, const Operands& at, u32 active) {
    const u32 on = mask(file, at);
    // Both results before either is written: c may be one of the destinations.
    const u32 p = combine(file, at, on), q = combine(file, at, ~on);
    put(file, at.dst, p, active);
    put(file, at.dst2, q, active);
  }
  static void set(std::byte* file, const Operands& at, u32 active) {
    constexpr u32 kTrue[] = {~0U, 0x3f80'0000, 0x3c00, 0x3f80};
    const u32 on = combine(file, at, mask(file, at));
    const u32 yes = kTrue[at.imm >> 2 & 3];
    Target<u32> result(file, at.dst, active);
    auto to = result.writer();
    for (unsigned lane = 0; lane < kLanes; ++lane) to.put(lane, (on >> lane & 1) != 0 ? yes : 0);
    result.finish(to);
  }
};

template <Test kTest, bool kUnordered, class From>
constexpr Entry setp(const char* form) {
  constexpr u8 kBytes = lane_bytes<typename From::Register>();
  return {
      form, &Compare<kTest, kUnordered, From>::setp, Class::kPredicate, {1, 1, kBytes, kBytes, 1}};
}
template <Test kTest, bool kUnordered, class From>
constexpr Entry set(const char* form, Class cls) {
  constexpr u8 kBytes = lane_bytes<typename From::Register>();
  return {form, &Compare<kTest, kUnordered, From>::set, cls, {4, 0, kBytes, kBytes, 1}};
}

/// Both halves of packed pairs: setp's p is the low half's test, q the high half's.
template <Test kTest, bool kUnordered, class From>
struct ComparePair {
  static u32 mask(const std::byte* file, const Operands& at, unsigned shift) {
    const Source<u32> a(file, at.a, 0), b(file, at.b, 0);
    u32 result = 0;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const auto x = static_cast<u16>(a[lane] >> shift), y = static_cast<u16>(b[lane] >> shift);
      const bool on = holds<kTest, kUnordered>(From::value(x), From::value(y));
      result |= static_cast<u32>(on) << lane;
    }
    return result;
  }
  using One = Compare<kTest, kUnordered, From>;
  static void setp(std::byte* file, const Operands& at, u32 active) {
    const u32 p = One::combine(file, at, mask(file, at, 0));
    const u32 q = One::combine(file, at, mask(file, at, 16));
    One::put(file, at.dst, p, active);
    One::put(file, at.dst2, q, active);
  }
  static void set(std::byte* file, const Operands& at, u32 active) {
    constexpr u32 kTrue[] = {0xffff, 0, 0x3c00, 0x3f80};
    const u32 low = One::combine(file, at, mask(file, at, 0));
    const u32 high = One::combine(file, at, mask(file, at, 16));
    const u32 yes = kTrue[at.imm >> 2 & 3];
    Target<u32> result(file, at.dst, active);
    auto to = result.writer();
    for (unsigned lane = 0; lane < kLanes; ++lane)
      to.put(lane, (low >> lane & 1) * yes | ((high >> lane & 1) * yes) << 16);
    result.finish(to);
  }
};

template <Test kTest, bool kUnordered, class From>
constexpr Entry setp_pair(const char* form) {
  return {form, &ComparePair<kTest, kUnordered, From>::setp, Class::kPredicate, {1, 1, 4, 4, 1}};
}
template <Test kTest, bool kUnordered, class From>
constexpr Entry set_pair(const char* form) {
  return {form, &ComparePair<kTest, kUnordered, From>::set, Class::kFp16Other, {4, 0, 4, 4, 1}};
}

template <class T>
T selp(T a, T b, bool c) {
  return c ? a : b;
}
template <class T>
T slct(T a, T b, s32 c) {
  return c >= 0 ? a : b;
}
template <class T>
T slct_float(T a, T b, float c) {
  return c >= 0.0F ? a : b;
}
template <class T>
T slct_flush(T a, T b, float c) {
  return flush(c) >= 0.0F ? a : b;
}

#define KP_BOTH(test, unordered, from, tail) \
  setp<test, unordered, from>("setp." tail), \
      set<test, unordered, from>("set." tail, Class::kInteger)
#define KP_EQUAL(from, type) \
  KP_BOTH(Test::kEq, false, from, "eq." type), KP_BOTH(Test::kNe, false, from, "ne." type)
#define KP_ORDER(from, type)                                                                    \
  KP_EQUAL(from, type), KP_BOTH(Test::kLt, false, from, "lt." type),                            \
      KP_BOTH(Test::kLe, false, from, "le." type), KP_BOTH(Test::kGt, false, from, "gt." type), \
      KP_BOTH(Test::kGe, false, from, "ge." type)
#define KP_FLOAT(from, type)                                                                    \
  KP_ORDER(from, type), KP_BOTH(Test::kEq, true, from, "equ." type),                            \
      KP_BOTH(Test::kNe, true, from, "neu." type), KP_BOTH(Test::kLt, true, from, "ltu." type), \
      KP_BOTH(Test::kLe, true, from, "leu." type), KP_BOTH(Test::kGt, true, from, "gtu." type), \
      KP_BOTH(Test::kGe, true, from, "geu." type),                                              \
      KP_BOTH(Test::kNumber, false, from, "num." type),                                         \
      KP_BOTH(Test::kNan, false, from, "nan." type)
#define KP_PAIR(test, unordered, from, tail) \
  setp_pair<test, unordered, from>("setp." tail), set_pair<test, unordered, from>("set." tail)
#define KP_PAIRS(from, type)                                                                    \
  KP_PAIR(Test::kEq, false, from, "eq." type), KP_PAIR(Test::kNe, false, from, "ne." type),     \
      KP_PAIR(Test::kLt, false, from, "lt." type), KP_PAIR(Test::kLe, false, from, "le." type), \
      KP_PAIR(Test::kGt, false, from, "gt." type), KP_PAIR(Test::kGe, false, from, "ge." type), \
      KP_PAIR(Test::kEq, true, from, "equ." type), KP_PAIR(Test::kNe, true, from, "neu." type), \
      KP_PAIR(Test::kLt, true, from, "ltu." type), KP_PAIR(Test::kLe, true, from, "leu." type), \
      KP_PAIR(Test::kGt, true, from, "gtu." type), KP_PAIR(Test::kGe, true, from, "geu." type), \
      KP_PAIR(Test::kNumber, false, from, "num." type),                                         \
      KP_PAIR(Test::kNan, false, from, "nan." type)
#define KP_16(name, f) op<f<u16>>(name, Class::kMove)
#define KP_32(name, f) op<f<u32>>(name, Class::kMove)
#define KP_64(name, f) op<f<u64>>(name, Class::kMove)
#define KP_SELECT(prefix, suffix, f)                                                               \
  KP_16(prefix "b16" suffix, f), KP_16(prefix "u16" suffix, f), KP_16(prefix "s16" suffix, f),     \
      KP_32(prefix "b32" suffix, f), KP_32(prefix "u32" suffix, f), KP_32(prefix "s32" suffix, f), \
      KP_32(prefix "f32" suffix, f), KP_64(prefix "b64" suffix, f), KP_64(prefix "u64" suffix, f), \
      KP_64(prefix "s64" suffix, f), KP_64(prefix "f64" suffix, f)

constexpr Entry kForms[] = {
    KP_ORDER(Plain<u16>, "u16"),
    KP_ORDER(Plain<s16>, "s16"),
    KP_ORDER(Plain<u32>, "u32"),
    KP_ORDER(Plain<s32>, "s32"),
    KP_ORDER(Plain<u64>, "u64"),
    KP_ORDER(Plain<s64>, "s64"),
    KP_EQUAL(Plain<u16>, "b16"),
    KP_EQUAL(Plain<u32>, "b32"),
    KP_EQUAL(Plain<u64>, "b64"),
    KP_FLOAT(Plain<float>, "f32"),
    KP_FLOAT(Flushed, "ftz.f32"),
    KP_FLOAT(Plain<double>, "f64"),
    KP_FLOAT(Half16, "f16"),
    KP_FLOAT(FlushedHalf16, "ftz.f16"),
    KP_FLOAT(Bfloat16, "bf16"),
    KP_PAIRS(Half16, "f16x2"),
    KP_PAIRS(FlushedHalf16, "ftz.f16x2"),
    KP_PAIRS(Bfloat16, "bf16x2"),
    KP_SELECT("selp.", "", selp),
    KP_SELECT("slct.", ".s32", slct),
    KP_SELECT("slct.", ".f32", slct_float),
    KP_SELECT("slct.ftz.", ".f32", slct_flush),
};

}  // namespace

KP_ALU_FORMS(compare_forms)

}  // namespace kp::vgpu::KP_ALU_LEVEL

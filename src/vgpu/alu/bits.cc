// SPDX-License-Identifier: Apache-2.0
// Logic, shifts, bit fields, permutations and small dot products. Shift counts clamp: a count of
// the width or more shifts everything out.
#include "vgpu/alu/lanes.h"

namespace kp::vgpu::KP_ALU_LEVEL {
namespace {

template <class T>
constexpr u32 kWidth = 8 * sizeof(T);

template <class T>
T and_(T a, T b) {
  return static_cast<T>(a & b);
}
template <class T>
T or_(T a, T b) {
  return static_cast<T>(a | b);
}
template <class T>
T xor_(T a, T b) {
  return static_cast<T>(a ^ b);
}
template <class T>
T not_(T a) {
  return static_cast<T>(~a);
}
bool not_pred(bool a) { return !a; }
bool and_pred(bool a, bool b) { return a && b; }
bool or_pred(bool a, bool b) { return a || b; }
bool xor_pred(bool a, bool b) { return a != b; }
template <class T>
T cnot(T a) {
  return a == 0 ? T{1} : T{0};
}

template <class T>
T shl(T a, u32 count) {
  return count < kWidth<T> ? static_cast<T>(a << count) : T{0};
}
template <class T>
T shr(T a, u32 count) {
  if constexpr (std::is_signed_v<T>) {
    return static_cast<T>(a >> (count < kWidth<T> ? count : kWidth<T> - 1));
  } else {
    return count < kWidth<T> ? static_cast<T>(a >> count) : T{0};
  }
}
// The funnel shifter: b:a as 64 bits. `l` keeps the high word, `r` the low one.
u64 join(u32 low, u32 high) { return static_cast<u64>(high) << 32 | low; }
u32 shf_l_wrap(u32 a, u32 b, u32 c) { return static_cast<u32>((join(a, b) << (c & 31)) >> 32); }
u32 shf_r_wrap(u32 a, u32 b, u32 c) { return static_cast<u32>(join(a, b) >> (c & 31)); }
u32 shf_l_clamp(u32 a, u32 b, u32 c) { return c < 32 ? shf_l_wrap(a, b, c) : a; }
u32 shf_r_clamp(u32 a, u32 b, u32 c) { return c < 32 ? shf_r_wrap(a, b, c) : b; }

/// Any function of three bits: bit (a*4 + b*2 + c) of the table. The eight minterms vectorise.
u32 lut3(u32 a, u32 b, u32 c, u32 table) {
  u32 result = 0;
  for (u32 term = 0; term < 8; ++term) {
    const u32 on = 0U - ((table >> term) & 1);
    result |= on & (term & 4 ? a : ~a) & (term & 2 ? b : ~b) & (term & 1 ? c : ~c);
  }
  return result;
}
u32 lop3(u32 a, u32 b, u32 c, Imm table) { return lut3(a, b, c, table.bits); }
Two<u32, bool> lop3_or(u32 a, u32 b, u32 c, bool q, Imm table) {
  const u32 r = lut3(a, b, c, table.bits);
  return {r, r != 0 || q};
}
Two<u32, bool> lop3_and(u32 a, u32 b, u32 c, bool q, Imm table) {
  const u32 r = lut3(a, b, c, table.bits);
  return {r, r != 0 && q};
}

template <class T>
u32 leading_zeros(T a) {
  if constexpr (sizeof(T) == 8) {
    return a == 0 ? 64U : static_cast<u32>(__builtin_clzll(a));
  } else {
    return a == 0 ? 32U : static_cast<u32>(__builtin_clz(a));
  }
}
template <class T>
u32 popc(T a) {
  return static_cast<u32>(__builtin_popcountll(a));
}
template <class T>
T brev(T a) {
  u64 r = a;
  r = (r >> 1 & 0x5555'5555'5555'5555U) | (r & 0x5555'5555'5555'5555U) << 1;
  r = (r >> 2 & 0x3333'3333'3333'3333U) | (r & 0x3333'3333'3333'3333U) << 2;
  r = (r >> 4 & 0x0f0f'0f0f'0f0f'0f0fU) | (r & 0x0f0f'0f0f'0f0f'0f0fU) << 4;
  return static_cast<T>(__builtin_bswap64(r) >> (64 - kWidth<T>));
}
/// Place of the most significant bit that differs from the sign; all ones when there is none.
template <class T>
u32 bfind(T a) {
  using Bits = std::make_unsigned_t<T>;
  const Bits bits = static_cast<Bits>(a < 0 ? ~a : a);
  return kWidth<T> - 1 - leading_zeros(bits);
}
template <class T>
u32 bfind_shiftamt(T a) {
  const u32 at = bfind(a);
  return at == kAllLanes ? at : kWidth<T> - 1 - at;
}

/// Position and length of a bit field: 8 bits count in the 32-bit forms; the 64-bit forms of sm_90
/// take all of them, where anything beyond 255 acts alike.
template <class T>
u32 field_number(u32 x) {
  if constexpr (sizeof(T) == 4) return x & 0xff;
  return x < 0xff ? x : 0xff;
}
/// The field of `length` bits at `start`, sign-extended for signed T.
template <class T>
T bfe(T a, u32 start, u32 length) {
  using Bits = std::make_unsigned_t<T>;
  const u32 pos = field_number<T>(start), len = field_number<T>(length), top = kWidth<T> - 1;
  const u32 last = pos + len - 1 < top ? pos + len - 1 : top;
  const Bits bits = static_cast<Bits>(a);
  const bool sign = std::is_signed_v<T> && len != 0 && (bits >> last & 1) != 0;
  const Bits low = len >= kWidth<T> ? static_cast<Bits>(~Bits{0}) : shl(Bits{1}, len) - 1;
  // Bits of the field that lie beyond the top of the register count as copies of the sign.
  const u32 got = pos > top ? 0 : (len < kWidth<T> - pos ? len : kWidth<T> - pos);
  const Bits have = got >= kWidth<T> ? static_cast<Bits>(~Bits{0}) : shl(Bits{1}, got) - 1;
  const Bits field = shr(bits, pos) & low & have;
  return static_cast<T>(sign ? field | ~have : field);
}
template <class T>
T bfi(T a, T b, u32 start, u32 length) {
  const u32 pos = field_number<T>(start), len = field_number<T>(length);
  const T ones = len >= kWidth<T> ? static_cast<T>(~T{0}) : shl(T{1}, len) - 1;
  const T field = shl(ones, pos);
  return (b & ~field) | (shl(a, pos) & field);
}
u32 bmsk_clamp(u32 start, u32 length) {
  const u32 ones = length >= 32 ? ~0U : (1U << length) - 1;
  return shl(ones, start);
}
u32 bmsk_wrap(u32 start, u32 length) { return bmsk_clamp(start & 31, length & 31); }
/// The low `width` bits of a, sign- or zero-extended.
template <class T, bool kWrap>
T szext(T a, u32 width) {
  const u32 n = kWrap ? width & 31 : width;
  if (n == 0) return 0;
  if (n >= 32) return a;
  return static_cast<T>(static_cast<T>(static_cast<u32>(a) << (32 - n)) >> (32 - n));
}

u32 byte_of(u64 bytes, u32 selector) {
  const auto byte = static_cast<u32>(bytes >> (8 * (selector & 7))) & 0xff;
  return (selector & 8) != 0 ? (byte & 0x80 ? 0xffU : 0U) : byte;
}
u32 gather(u64 bytes, u32 selectors) {
  u32 result = 0;
  for (u32 at = 0; at < 4; ++at) result |= byte_of(bytes, selectors >> (4 * at)) << (8 * at);
  return result;
}
u32 prmt(u32 a, u32 b, u32 c) { return gather(join(a, b), c); }
// The special modes, by low two bits of c; selectors as in the table of the PTX manual.
template <u32 k0, u32 k1, u32 k2, u32 k3>
u32 prmt_mode(u32 a, u32 b, u32 c) {
  const u64 table = join(k0 | k1 << 16, k2 | k3 << 16);
  return gather(join(a, b), static_cast<u32>(table >> (16 * (c & 3))) & 0xffff);
}

/// The offset-th set bit at or above base (upwards for offset > 0, downwards below 0); all ones if
/// none.
u32 fns(u32 mask, u32 base, s32 offset) {
  if (base > 31) return kAllLanes;
  if (offset == 0) return (mask >> base & 1) != 0 ? base : kAllLanes;
  const s32 step = offset > 0 ? 1 : -1;
  s64 left = offset > 0 ? offset : -static_cast<s64>(offset);
  for (s32 at = static_cast<s32>(base); at >= 0 && at < 32; at += step) {
    if ((mask >> at & 1) != 0 && --left == 0) return static_cast<u32>(at);
  }
  return kAllLanes;
}

template <class A, class B>
u32 dp4a(u32 a, u32 b, u32 c) {
  u32 sum = c;
  for (u32 at = 0; at < 32; at += 8)
    sum += static_cast<u32>(static_cast<A>(a >> at) * static_cast<B>(b >> at));
  return sum;
}
template <class A, class B, u32 kFirst>
u32 dp2a(u32 a, u32 b, u32 c) {
  u32 sum = c;
  for (u32 at = 0; at < 2; ++at)
    sum += static_cast<u32>(static_cast<A>(a >> (16 * at))) *
           static_cast<u32>(static_cast<B>(b >> (kFirst + 8 * at)));
  return sum;
}

#define KP_BITS(name, f) \
  op<f<u16>>(name ".b16", kBit), op<f<u32>>(name ".b32", kBit), op<f<u64>>(name ".b64", kBit)
#define KP_32_64(name, f, t, u) \
  op<f<t##32>>(name "." u "32", kBit), op<f<t##64>>(name "." u "64", kBit)
constexpr Class kBit = Class::kBit;
constexpr Class kPred = Class::kPredicate;
constexpr Class kInt = Class::kInteger;
constexpr Entry kForms[] = {
    KP_BITS("and", and_),
    KP_BITS("or", or_),
    KP_BITS("xor", xor_),
    KP_BITS("not", not_),
    KP_BITS("cnot", cnot),
    op<and_pred>("and.pred", kPred),
    op<or_pred>("or.pred", kPred),
    op<xor_pred>("xor.pred", kPred),
    op<not_pred>("not.pred", kPred),
    KP_BITS("shl", shl),
    KP_BITS("shr", shr),
    op<shr<u16>>("shr.u16", kBit),
    op<shr<s16>>("shr.s16", kBit),
    KP_32_64("shr", shr, u, "u"),
    KP_32_64("shr", shr, s, "s"),
    op<shf_l_wrap>("shf.l.wrap.b32", kBit),
    op<shf_r_wrap>("shf.r.wrap.b32", kBit),
    op<shf_l_clamp>("shf.l.clamp.b32", kBit),
    op<shf_r_clamp>("shf.r.clamp.b32", kBit),
    op<lop3>("lop3.b32", kBit),
    op<lop3_or>("lop3.or.b32", kBit),
    op<lop3_and>("lop3.and.b32", kBit),
    KP_32_64("clz", leading_zeros, u, "b"),
    KP_32_64("popc", popc, u, "b"),
    KP_32_64("brev", brev, u, "b"),
    KP_32_64("bfind", bfind, u, "u"),
    KP_32_64("bfind", bfind, s, "s"),
    KP_32_64("bfind.shiftamt", bfind_shiftamt, u, "u"),
    KP_32_64("bfind.shiftamt", bfind_shiftamt, s, "s"),
    KP_32_64("bfe", bfe, u, "u"),
    KP_32_64("bfe", bfe, s, "s"),
    KP_32_64("bfi", bfi, u, "b"),
    op<bmsk_clamp>("bmsk.clamp.b32", kBit),
    op<bmsk_wrap>("bmsk.wrap.b32", kBit),
    op<szext<u32, false>>("szext.clamp.u32", kBit),
    op<szext<s32, false>>("szext.clamp.s32", kBit),
    op<szext<u32, true>>("szext.wrap.u32", kBit),
    op<szext<s32, true>>("szext.wrap.s32", kBit),
    op<prmt>("prmt.b32", kBit),
    op<prmt_mode<0x3210, 0x4321, 0x5432, 0x6543>>("prmt.b32.f4e", kBit),
    op<prmt_mode<0x5670, 0x6701, 0x7012, 0x0123>>("prmt.b32.b4e", kBit),
    op<prmt_mode<0x0000, 0x1111, 0x2222, 0x3333>>("prmt.b32.rc8", kBit),
    op<prmt_mode<0x3210, 0x3211, 0x3222, 0x3333>>("prmt.b32.ecl", kBit),
    op<prmt_mode<0x0000, 0x1110, 0x2210, 0x3210>>("prmt.b32.ecr", kBit),
    op<prmt_mode<0x1010, 0x3232, 0x1010, 0x3232>>("prmt.b32.rc16", kBit),
    op<fns>("fns.b32", kBit),
    op<dp4a<u8, u8>>("dp4a.u32.u32", kInt),
    op<dp4a<u8, s8>>("dp4a.u32.s32", kInt),
    op<dp4a<s8, u8>>("dp4a.s32.u32", kInt),
    op<dp4a<s8, s8>>("dp4a.s32.s32", kInt),
    op<dp2a<u16, u8, 0>>("dp2a.u32.u32", kInt),
    op<dp2a<u16, s8, 0>>("dp2a.u32.s32", kInt),
    op<dp2a<s16, u8, 0>>("dp2a.s32.u32", kInt),
    op<dp2a<s16, s8, 0>>("dp2a.s32.s32", kInt),
    op<dp2a<u16, u8, 16>>("dp2a.hi.u32.u32", kInt),
    op<dp2a<u16, s8, 16>>("dp2a.hi.u32.s32", kInt),
    op<dp2a<s16, u8, 16>>("dp2a.hi.s32.u32", kInt),
    op<dp2a<s16, s8, 16>>("dp2a.hi.s32.s32", kInt),
};

}  // namespace

KP_ALU_FORMS(bits_forms)

}  // namespace kp::vgpu::KP_ALU_LEVEL

// SPDX-License-Identifier: Apache-2.0
// SIMD video instructions: two halves or four bytes of a register at a time.
#include "vgpu/alu/video.h"

#include "vgpu/alu/lanes.h"

namespace kp::vgpu::KP_ALU_LEVEL {
namespace {

s32 part(u32 x, unsigned bits, unsigned at, bool is_signed) {
  const u32 low = x >> (at * bits) << (32 - bits);
  return is_signed ? static_cast<s32>(low) >> (32 - bits) : static_cast<s32>(low >> (32 - bits));
}

s32 combine(VideoOp which, s32 a, s32 b) {
  switch (which) {
    case VideoOp::kAdd:
      return a + b;
    case VideoOp::kSub:
      return a - b;
    case VideoOp::kAverage:
      // Rounds away from zero.
      return a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1;
    case VideoOp::kDifference:
      return a > b ? a - b : b - a;
    case VideoOp::kMin:
      return a < b ? a : b;
    case VideoOp::kMax:
      return a > b ? a : b;
    case VideoOp::kEq:
      return a == b;
    case VideoOp::kNe:
      return a != b;
    case VideoOp::kLt:
      return a < b;
    case VideoOp::kLe:
      return a <= b;
    case VideoOp::kGt:
      return a > b;
    case VideoOp::kGe:
      return a >= b;
  }
  return 0;
}

s32 saturated(s32 x, unsigned bits, bool is_signed) {
  const s32 most = static_cast<s32>((1U << (is_signed ? bits - 1 : bits)) - 1);
  const s32 least = is_signed ? -most - 1 : 0;
  return x < least ? least : (x > most ? most : x);
}

template <unsigned kBits>
u32 simd(u32 a, u32 b, u32 c, Imm imm) {
  const auto which = static_cast<VideoOp>(imm.bits & 0xff);
  const auto flag = [&](unsigned at) { return (imm.bits >> at & 1) != 0; };
  u32 packed = 0, sum = c;
  for (unsigned i = 0; i < 32 / kBits; ++i) {
    const s32 r = combine(which, part(a, kBits, i, flag(9)), part(b, kBits, i, flag(10)));
    sum += static_cast<u32>(r);
    const auto kept = static_cast<u32>(flag(11) ? saturated(r, kBits, flag(8)) : r);
    packed |= (kept & ((1U << kBits) - 1)) << (i * kBits);
  }
  return flag(12) ? sum : packed;
}

constexpr Entry kForms[] = {
    op<simd<16>>("video2", Class::kInteger),
    op<simd<8>>("video4", Class::kInteger),
};

}  // namespace

KP_ALU_FORMS(video_forms)

}  // namespace kp::vgpu::KP_ALU_LEVEL

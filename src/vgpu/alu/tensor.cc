// SPDX-License-Identifier: Apache-2.0
// mma.sync and wmma.mma. Floating-point sums follow the tensor cores of sm_90, as found by
// comparing with an H200, bit for bit on 131072 results over f16, bf16, tf32 and f16 accumulation:
//   all k products and the accumulator are aligned to the largest exponent among them (the exponent
//   of a product is the sum of its operands' exponents), cut (towards zero) 25 bits below it, and
//   added exactly; the sum is cut to f32, or rounded to nearest for an f16 accumulator.
// Integer products are exact and wrap (or saturate); f64 is a chain of fma over ascending k.
#include "vgpu/alu/fragment.h"
#include "vgpu/alu/narrow.h"

namespace kp::vgpu::KP_ALU_LEVEL {
namespace {

constexpr int kKept = 25;          // bits kept below the largest exponent
constexpr int kNothing = -0x1000;  // the exponent of zero, below all others
constexpr unsigned kMostK = 16;

/// A finite number as significand * 2^(exponent - fraction bits of its format).
struct Term {
  s32 significand;
  s32 exponent;
};
template <unsigned kFraction, unsigned kExponent>
Term term(u32 bits) {
  constexpr s32 kBias = (1 << (kExponent - 1)) - 1;
  const u32 field = bits >> kFraction & ((1U << kExponent) - 1);
  const u32 low = bits & ((1U << kFraction) - 1);
  const auto size = static_cast<s32>(field == 0 ? low : low | 1U << kFraction);
  const bool negative = (bits >> (kFraction + kExponent) & 1) != 0;
  const s32 exponent = static_cast<s32>(field == 0 ? 1 : field) - kBias;
  return {negative ? -size : size, size == 0 ? kNothing : exponent};
}

struct F16 {
  static constexpr int kFraction = 10;
  static constexpr unsigned kBits = 16;
  static Term read(u32 x) { return term<10, 5>(x); }
  static double value(u32 x) { return static_cast<double>(float_from_half(static_cast<u16>(x))); }
};
struct Bf16 {
  static constexpr int kFraction = 7;
  static constexpr unsigned kBits = 16;
  static Term read(u32 x) { return term<7, 8>(x); }
  static double value(u32 x) { return static_cast<double>(float_from_bfloat(static_cast<u16>(x))); }
};
/// The upper 19 bits of an f32 register; the tensor core does not see the rest.
struct Tf32 {
  static constexpr int kFraction = 10;
  static constexpr unsigned kBits = 32;
  static Term read(u32 x) { return term<10, 8>(x >> 13); }
  static double value(u32 x) { return static_cast<double>(from_bits<float>(x & ~0x1fffU)); }
};

/// Accumulators.
struct InFloat {
  static constexpr int kFraction = 23;
  static constexpr unsigned kBits = 32;
  static Term read(u32 x) { return term<23, 8>(x); }
  static double value(u32 x) { return static_cast<double>(from_bits<float>(x)); }
  static u32 write(double x) {
    const auto near = static_cast<float>(x);
    const bool above = magnitude(static_cast<double>(near)) > magnitude(x);
    const bool endless = magnitude(x) >= bits_of(0x1p128);
    return bits_of(canonical(near)) - static_cast<u32>(above && !endless);
  }
};
struct InHalf : F16 {
  static u32 write(double x) { return narrow<HalfFormat, Round::kNearest>(x); }
};

s64 aligned(s64 significand, int up) {
  // Towards zero, on the magnitude.
  const s64 size = significand < 0 ? -significand : significand;
  const s64 r = up >= 0 ? size << up : (up > -63 ? size >> -up : 0);
  return significand < 0 ? -r : r;
}

/// C and D are the formats of the accumulator before and after.
template <class In, class C, class D>
u32 dot(const u32* a, const u32* b, unsigned k, u32 c) {
  s64 product[kMostK];
  s32 exponent[kMostK];
  const Term start = C::read(c);
  s32 top = start.exponent;
  double plain = C::value(c);
  for (unsigned i = 0; i < k; ++i) {
    const Term x = In::read(a[i]), y = In::read(b[i]);
    product[i] = static_cast<s64>(x.significand) * y.significand;
    exponent[i] = product[i] == 0 ? kNothing : x.exponent + y.exponent;
    top = exponent[i] > top ? exponent[i] : top;
    plain += In::value(a[i]) * In::value(b[i]);
  }
  // Infinities and NaN: the order of the sum does not matter to them, and all else is finite in
  // double.
  if (magnitude(plain) >= Ieee<double>::kInfinity) return D::write(plain);
  s64 sum = aligned(start.significand, kKept - C::kFraction - (top - start.exponent));
  for (unsigned i = 0; i < k; ++i)
    sum += aligned(product[i], kKept - 2 * In::kFraction - (top - exponent[i]));
  if (sum == 0) return 0;
  const double scale = from_bits<double>(static_cast<u64>(top - kKept + 1023) << 52);
  return D::write(static_cast<double>(sum) * scale);
}

template <class T>
struct Bytes {
  static constexpr unsigned kBits = 8;
  using Type = T;
};
struct InInteger {
  static constexpr unsigned kBits = 32;
};
template <class A, class B, bool kSaturate>
u32 dot_integer(const u32* a, const u32* b, unsigned k, u32 c) {
  s64 sum = static_cast<s32>(c);
  for (unsigned i = 0; i < k; ++i) sum += static_cast<A>(a[i]) * static_cast<B>(b[i]);
  constexpr s64 kMax = 0x7fff'ffff;
  if (kSaturate) sum = sum > kMax ? kMax : (sum < -kMax - 1 ? -kMax - 1 : sum);
  return static_cast<u32>(sum);
}

/// The matrices of one instruction, A by rows and B by columns: both run along k.
template <unsigned kM, unsigned kN, unsigned kK>
struct Matrices {
  u32 a[kM][kK], b[kN][kK], c[kM][kN];
};

/// Element e (of `kBits` bits) of a lane's fragment, whose registers are consecutive rows.
template <unsigned kBits>
u32 element(const std::byte* rows, unsigned lane, unsigned e) {
  constexpr unsigned kPer = 32 / kBits;
  u32 word;
  __builtin_memcpy(&word, rows + (e / kPer * kLanes + lane) * 4, 4);
  return kBits == 32 ? word : (word >> (e % kPer * kBits)) & ((u64{1} << kBits) - 1);
}
template <unsigned kBits>
void put_element(std::byte* rows, unsigned lane, unsigned e, u32 value) {
  constexpr unsigned kPer = 32 / kBits;
  std::byte* at = rows + (e / kPer * kLanes + lane) * 4;
  if constexpr (kBits == 32) {
    __builtin_memcpy(at, &value, 4);
  } else {
    u32 word;
    __builtin_memcpy(&word, at, 4);
    const unsigned shift = e % kPer * kBits;
    const auto mask = static_cast<u32>(((u64{1} << kBits) - 1) << shift);
    word = (word & ~mask) | (value << shift & mask);
    __builtin_memcpy(at, &word, 4);
  }
}

/// The fragments of mma.m16n8kK (PTX ISA, "Matrix Fragments for mma"): groups of four lanes own a
/// row; a register holds kPer neighbours along k.
template <class In, unsigned kDepth>
struct MmaLayout {
  static constexpr unsigned kM = 16, kN = 8, kK = kDepth, kPer = 32 / In::kBits;
  static constexpr unsigned kElementsA = kM * kK / 32, kElementsB = kN * kK / 32;
  static MatrixPlace a(unsigned lane, unsigned e) {
    const unsigned part = e / kPer;
    return {lane / 4 + part % 2 * 8, lane % 4 * kPer + e % kPer + part / 2 * 4 * kPer};
  }
  static MatrixPlace b(unsigned lane, unsigned e) {
    return {lane % 4 * kPer + e % kPer + e / kPer * 4 * kPer, lane / 4};
  }
  static MatrixPlace c(unsigned lane, unsigned e) {
    return {lane / 4 + e / 2 * 8, lane % 4 * 2 + e % 2};
  }
  static constexpr unsigned kElementsC = 4;
};
template <class In, unsigned kRows, unsigned kColumns, unsigned kDepth, bool kTwice>
struct WmmaLayout {
  static constexpr unsigned kM = kRows, kN = kColumns, kK = kDepth;
  static constexpr unsigned kElementsA = kTwice ? 16 : kM * kK / 32;
  static constexpr unsigned kElementsB = kTwice ? 16 : kN * kK / 32;
  static constexpr unsigned kElementsC = 8;
  static constexpr WmmaShape kShape{kM, kN, kK};
  static MatrixPlace a(unsigned lane, unsigned e) {
    return wmma_place(WmmaPart::kA, kShape, kElementsA, lane, e);
  }
  static MatrixPlace b(unsigned lane, unsigned e) {
    return wmma_place(WmmaPart::kB, kShape, kElementsB, lane, e);
  }
  static MatrixPlace c(unsigned lane, unsigned e) {
    return wmma_place(WmmaPart::kC, kShape, kElementsC, lane, e);
  }
};

using Reduce = u32 (*)(const u32* a, const u32* b, unsigned k, u32 c);

template <class In, class C, class D, class Layout, Reduce kReduce>
void multiply(std::byte* file, const Operands& op, u32 active) {
  Matrices<Layout::kM, Layout::kN, Layout::kK> at;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    for (unsigned e = 0; e < Layout::kElementsA; ++e) {
      const MatrixPlace p = Layout::a(lane, e);
      at.a[p.row][p.column] = element<In::kBits>(file + op.a, lane, e);
    }
    for (unsigned e = 0; e < Layout::kElementsB; ++e) {
      const MatrixPlace p = Layout::b(lane, e);
      at.b[p.column][p.row] = element<In::kBits>(file + op.b, lane, e);
    }
    for (unsigned e = 0; e < Layout::kElementsC; ++e) {
      const MatrixPlace p = Layout::c(lane, e);
      at.c[p.row][p.column] = element<C::kBits>(file + op.c, lane, e);
    }
  }
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if ((active >> lane & 1) == 0) continue;
    for (unsigned e = 0; e < Layout::kElementsC; ++e) {
      const MatrixPlace p = Layout::c(lane, e);
      const u32 r = kReduce(at.a[p.row], at.b[p.column], Layout::kK, at.c[p.row][p.column]);
      put_element<D::kBits>(file + op.dst, lane, e, r);
    }
  }
}

/// In double: a lane holds elements of A in rows lane / 4 (and 8 below), columns from lane % 4 in
/// steps of 4; B likewise; and pairs of C's row. kRows is 8 or 16.
template <unsigned kRows, unsigned kK>
void multiply_f64(std::byte* file, const Operands& op, u32 active) {
  constexpr unsigned kHigh = kRows / 8, kRow = kLanes * 8;
  double a[kRows][kK], b[kK][8], c[kRows][8];
  const auto at = [&](u32 offset, unsigned e) {
    return Source<double>(file, offset + e * kRow, 0);
  };
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    for (unsigned e = 0; e < kHigh * kK / 4; ++e)
      a[lane / 4 + e % kHigh * 8][lane % 4 + e / kHigh * 4] = at(op.a, e)[lane];
    for (unsigned e = 0; e < kK / 4; ++e) b[lane % 4 + e * 4][lane / 4] = at(op.b, e)[lane];
    for (unsigned e = 0; e < kHigh * 2; ++e)
      c[lane / 4 + e / 2 * 8][lane % 4 * 2 + e % 2] = at(op.c, e)[lane];
  }
  for (unsigned row = 0; row < kRows; ++row) {
    for (unsigned column = 0; column < 8; ++column) {
      double& sum = c[row][column];
      for (unsigned k = 0; k < kK; ++k) {
        const double x = a[row][k], y = b[k][column], z = sum;
        sum = settle(__builtin_fma(x, y, z), x, z, y);
      }
    }
  }
  for (unsigned e = 0; e < kHigh * 2; ++e) {
    Target<double> result(file, op.dst + e * kRow, active);
    auto to = result.writer();
    for (unsigned lane = 0; lane < kLanes; ++lane)
      to.put(lane, c[lane / 4 + e / 2 * 8][lane % 4 * 2 + e % 2]);
    result.finish(to);
  }
}
template <unsigned kRows, unsigned kK>
constexpr Entry mma_f64(const char* form) {
  return {form,
          &multiply_f64<kRows, kK>,
          Class::kTensor,
          {kRows * 2, 0, kRows * kK / 4, kK * 2, kRows * 2, 0}};
}

template <class In, class C, class D, class Layout, Reduce kReduce>
constexpr Entry tensor(const char* form) {
  constexpr auto bytes = [](unsigned elements, unsigned bits) {
    return static_cast<u8>(elements * bits / 8);
  };
  return {form,
          &multiply<In, C, D, Layout, kReduce>,
          Class::kTensor,
          {bytes(Layout::kElementsC, D::kBits), 0, bytes(Layout::kElementsA, In::kBits),
           bytes(Layout::kElementsB, In::kBits), bytes(Layout::kElementsC, C::kBits), 0}};
}
template <class In, class C, class D, unsigned kK>
constexpr Entry mma(const char* form) {
  return tensor<In, C, D, MmaLayout<In, kK>, dot<In, C, D>>(form);
}
template <class A, class B, bool kSaturate, unsigned kK>
constexpr Entry mma_integer(const char* form) {
  using In = Bytes<A>;
  return tensor<In, InInteger, InInteger, MmaLayout<In, kK>, dot_integer<A, B, kSaturate>>(form);
}
template <class In, class C, class D, unsigned kM, unsigned kN, unsigned kK, bool kTwice>
constexpr Entry wmma(const char* form) {
  return tensor<In, C, D, WmmaLayout<In, kM, kN, kK, kTwice>, dot<In, C, D>>(form);
}

template <class T, bool kSaturate, unsigned kM, unsigned kN>
constexpr Entry wmma_integer(const char* form) {
  using In = Bytes<T>;
  return tensor<In, InInteger, InInteger, WmmaLayout<In, kM, kN, 16, false>,
                dot_integer<T, T, kSaturate>>(form);
}

#define KP_WMMA_INTEGER(shape, m, n)                                                   \
  wmma_integer<s8, false, m, n>("wmma.mma.sync." shape ".s32.s8.s8.s32"),              \
      wmma_integer<s8, true, m, n>("wmma.mma.sync." shape ".s32.s8.s8.s32.satfinite"), \
      wmma_integer<u8, false, m, n>("wmma.mma.sync." shape ".s32.u8.u8.s32"),          \
      wmma_integer<u8, true, m, n>("wmma.mma.sync." shape ".s32.u8.u8.s32.satfinite")
#define KP_INTEGER(types, a, b)                                                             \
  mma_integer<a, b, false, 16>("mma.sync.m16n8k16.row.col.s32." types ".s32"),              \
      mma_integer<a, b, true, 16>("mma.sync.m16n8k16.row.col.satfinite.s32." types ".s32"), \
      mma_integer<a, b, false, 32>("mma.sync.m16n8k32.row.col.s32." types ".s32"),          \
      mma_integer<a, b, true, 32>("mma.sync.m16n8k32.row.col.satfinite.s32." types ".s32")
#define KP_WMMA(shape, m, n)                                                         \
  wmma<F16, InFloat, InFloat, m, n, 16, true>("wmma.mma.sync." shape ".f32.f32"),    \
      wmma<F16, InHalf, InFloat, m, n, 16, true>("wmma.mma.sync." shape ".f32.f16"), \
      wmma<F16, InFloat, InHalf, m, n, 16, true>("wmma.mma.sync." shape ".f16.f32"), \
      wmma<F16, InHalf, InHalf, m, n, 16, true>("wmma.mma.sync." shape ".f16.f16"),  \
      wmma<Bf16, InFloat, InFloat, m, n, 16, false>("wmma.mma.sync." shape ".f32.bf16.bf16.f32")

// The layouts of wmma's A and B in memory do not change what a fragment holds; alu.cc drops them.
constexpr Entry kForms[] = {
    mma<F16, InFloat, InFloat, 16>("mma.sync.m16n8k16.row.col.f32.f16.f16.f32"),
    mma<F16, InFloat, InFloat, 8>("mma.sync.m16n8k8.row.col.f32.f16.f16.f32"),
    mma<F16, InHalf, InHalf, 16>("mma.sync.m16n8k16.row.col.f16.f16.f16.f16"),
    mma<F16, InHalf, InHalf, 8>("mma.sync.m16n8k8.row.col.f16.f16.f16.f16"),
    mma<Bf16, InFloat, InFloat, 16>("mma.sync.m16n8k16.row.col.f32.bf16.bf16.f32"),
    mma<Bf16, InFloat, InFloat, 8>("mma.sync.m16n8k8.row.col.f32.bf16.bf16.f32"),
    mma<Tf32, InFloat, InFloat, 8>("mma.sync.m16n8k8.row.col.f32.tf32.tf32.f32"),
    mma<Tf32, InFloat, InFloat, 4>("mma.sync.m16n8k4.row.col.f32.tf32.tf32.f32"),
    KP_INTEGER("s8.s8", s8, s8),
    KP_INTEGER("s8.u8", s8, u8),
    KP_INTEGER("u8.s8", u8, s8),
    KP_INTEGER("u8.u8", u8, u8),
    mma_f64<8, 4>("mma.sync.m8n8k4.row.col.f64.f64.f64.f64"),
    mma_f64<16, 4>("mma.sync.m16n8k4.row.col.f64.f64.f64.f64"),
    mma_f64<16, 8>("mma.sync.m16n8k8.row.col.f64.f64.f64.f64"),
    mma_f64<16, 16>("mma.sync.m16n8k16.row.col.f64.f64.f64.f64"),
    // Its fragments are those of mma by wmma_place, too.
    mma_f64<8, 4>("wmma.mma.sync.m8n8k4.f64.f64.f64.f64"),
    KP_WMMA_INTEGER("m16n16k16", 16, 16),
    KP_WMMA_INTEGER("m32n8k16", 32, 8),
    KP_WMMA_INTEGER("m8n32k16", 8, 32),
    KP_WMMA("m16n16k16", 16, 16),
    KP_WMMA("m32n8k16", 32, 8),
    KP_WMMA("m8n32k16", 8, 32),
    wmma<Tf32, InFloat, InFloat, 16, 16, 8, false>("wmma.mma.sync.m16n16k8.f32.tf32.tf32.f32"),
};

}  // namespace

KP_ALU_FORMS(tensor_forms)

}  // namespace kp::vgpu::KP_ALU_LEVEL

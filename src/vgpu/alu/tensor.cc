// SPDX-License-Identifier: Apache-2.0
// mma.sync and wmma.mma: which matrices an instruction multiplies. tensor_sum.h says how a sum is
// made, tensor_layout.h which lane holds which element. f64 is a chain of fma over ascending k.
#include "vgpu/alu/tensor_layout.h"
#include "vgpu/alu/tensor_sum.h"

namespace kp::vgpu::KP_ALU_LEVEL {
namespace {

/// The matrices of one instruction, A by rows and B by columns: both run along k.
template <unsigned kM, unsigned kN, unsigned kK>
struct Matrices {
  u32 a[kM][kK], b[kN][kK], c[kM][kN];
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

// SPDX-License-Identifier: Apache-2.0
// Where the elements of a wmma fragment stand. PTX leaves that open; here element e of lane l is
// number (l * elements + e) of the matrix, modulo its size (f16 operands of 16 elements hold a
// 16x16 matrix twice), counted along k for A and B and along rows for C and D. Lowering fills
// Program::fragments with it for wmma.load and wmma.store, and wmma.mma in tensor.cc computes with
// it.
#pragma once

namespace kp::vgpu {

enum class WmmaPart : unsigned char { kA, kB, kC };  // kC stands for D too
struct WmmaShape {
  unsigned m = 16, n = 16, k = 16;
};
struct MatrixPlace {
  unsigned row = 0, column = 0;
};

/// `elements`: what a lane holds (A, B: 16 for f16; m*k/32 or k*n/32 for the others. C, D: 8).
// Inlined always, because this header is compiled for two host levels.
[[gnu::always_inline]] constexpr MatrixPlace wmma_place(WmmaPart part, const WmmaShape& shape,
                                                        unsigned elements, unsigned lane,
                                                        unsigned element) {
  const unsigned number = lane * elements + element;
  if (part == WmmaPart::kC) return {number / shape.n % shape.m, number % shape.n};
  if (part == WmmaPart::kA) return {number / shape.k % shape.m, number % shape.k};
  return {number % shape.k, number / shape.k % shape.n};
}

}  // namespace kp::vgpu

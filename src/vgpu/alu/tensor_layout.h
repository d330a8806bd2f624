// SPDX-License-Identifier: Apache-2.0
// Which element of a matrix a lane holds where in its registers, for tensor.cc.
#pragma once
#include "vgpu/alu/fragment.h"
#include "vgpu/alu/lanes.h"

namespace kp::vgpu::KP_ALU_LEVEL {

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

}  // namespace kp::vgpu::KP_ALU_LEVEL

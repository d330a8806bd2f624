// SPDX-License-Identifier: Apache-2.0
// What the SIMD video instructions keep in Operands::imm. request.cc writes it, video.cc reads it.
#pragma once
#include <cstdint>

namespace kp::vgpu {

enum class VideoOp : std::uint8_t {
  kAdd,
  kSub,
  kAverage,
  kDifference,  // absolute
  kMin,
  kMax,
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
};

struct Video {
  VideoOp op = VideoOp::kAdd;
  bool signed_result = false, signed_a = false, signed_b = false;
  bool saturates = false, accumulates = false;
};

constexpr std::uint32_t video_imm(const Video& video) {
  return static_cast<std::uint32_t>(video.op) | (video.signed_result ? 1u : 0u) << 8 |
         (video.signed_a ? 1u : 0u) << 9 | (video.signed_b ? 1u : 0u) << 10 |
         (video.saturates ? 1u : 0u) << 11 | (video.accumulates ? 1u : 0u) << 12;
}

}  // namespace kp::vgpu

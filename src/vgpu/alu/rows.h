// SPDX-License-Identifier: Apache-2.0
// Reading and writing single lanes of the register file, whose layout instruction.h describes; for
// lowering, the executor and tests. Values travel as 64 bits.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "vgpu/instruction.h"

namespace kp::vgpu {

/// Bytes of a register with `lane_bytes` a lane: a predicate (1) has a slot; narrow values have
/// words.
constexpr std::uint32_t row_bytes(unsigned lane_bytes) {
  return lane_bytes == 1 ? kSlot : kLanes * (lane_bytes < 4 ? 4U : lane_bytes);
}

/// The value of a lane, zero-extended; `lane_bytes` is 1 (predicate), 2, 4 or 8.
inline std::uint64_t read_lane(const std::byte* row, unsigned lane, unsigned lane_bytes) {
  if (lane_bytes == 8) {
    std::uint64_t value;
    std::memcpy(&value, row + lane * 8, 8);
    return value;
  }
  std::uint32_t word;
  std::memcpy(&word, row + (lane_bytes == 1 ? 0 : lane * 4), 4);
  if (lane_bytes == 1) return word >> lane & 1;
  return lane_bytes == 2 ? word & 0xffff : word;
}

inline void write_lane(std::byte* row, unsigned lane, unsigned lane_bytes, std::uint64_t value) {
  if (lane_bytes == 8) {
    std::memcpy(row + lane * 8, &value, 8);
    return;
  }
  auto word = static_cast<std::uint32_t>(value);
  if (lane_bytes == 1) {
    std::uint32_t mask;
    std::memcpy(&mask, row, 4);
    word = (mask & ~(1U << lane)) | (word & 1) << lane;
  }
  std::memcpy(row + (lane_bytes == 1 ? 0 : lane * 4), &word, 4);
}

/// The same value in every lane; for constants.
inline void fill_row(std::byte* row, unsigned lane_bytes, std::uint64_t value) {
  for (unsigned lane = 0; lane < kLanes; ++lane) write_lane(row, lane, lane_bytes, value);
}

}  // namespace kp::vgpu

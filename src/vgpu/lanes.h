// SPDX-License-Identifier: Apache-2.0
// Reading and writing lanes of registers, by the layout that instruction.h describes.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>

#include "vgpu/instruction.h"

namespace kp::vgpu {

inline unsigned first_lane(std::uint32_t mask) { return unsigned(std::countr_zero(mask)); }
inline std::uint32_t bit_of(unsigned lane) { return 1u << lane; }

/// Calls body(lane) for each lane of the mask, lowest first.
template <class Body>
inline void for_lanes(std::uint32_t mask, Body&& body) {
  if (mask == ~0u) {
    for (unsigned lane = 0; lane < kLanes; ++lane) body(lane);
    return;
  }
  for (; mask != 0; mask &= mask - 1) body(first_lane(mask));
}

inline std::uint32_t predicate(const std::byte* file, std::uint32_t offset) {
  std::uint32_t bits;
  std::memcpy(&bits, file + offset, 4);
  return bits;
}
inline void set_predicate(std::byte* file, std::uint32_t offset, std::uint32_t lanes,
                          std::uint32_t bits) {
  const std::uint32_t merged = (predicate(file, offset) & ~lanes) | (bits & lanes);
  std::memcpy(file + offset, &merged, 4);
}

/// A 32-bit register's value in one lane.
inline std::uint32_t word(const std::byte* file, std::uint32_t offset, unsigned lane) {
  std::uint32_t value;
  std::memcpy(&value, file + offset + 4 * lane, 4);
  return value;
}
/// A 64-bit register's value in one lane.
inline std::uint64_t wide(const std::byte* file, std::uint32_t offset, unsigned lane) {
  std::uint64_t value;
  std::memcpy(&value, file + offset + 8 * lane, 8);
  return value;
}
inline void set_word(std::byte* file, std::uint32_t offset, unsigned lane, std::uint32_t value) {
  std::memcpy(file + offset + 4 * lane, &value, 4);
}
inline void set_wide(std::byte* file, std::uint32_t offset, unsigned lane, std::uint64_t value) {
  std::memcpy(file + offset + 8 * lane, &value, 8);
}

/// `lane_bytes`: 1 predicate, up to 4 a 32-bit register, 8 a 64-bit one.
inline void set_lane(std::byte* file, std::uint32_t offset, unsigned lane_bytes, unsigned lane,
                     std::uint64_t bits) {
  if (lane_bytes == 1)
    set_predicate(file, offset, bit_of(lane), bits != 0 ? ~0u : 0u);
  else if (lane_bytes == 8)
    set_wide(file, offset, lane, bits);
  else
    set_word(file, offset, lane, std::uint32_t(bits));
}

}  // namespace kp::vgpu

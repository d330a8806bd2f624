// SPDX-License-Identifier: Apache-2.0
// Runs of bits in an array of words: the definedness shadows of memory, one bit a byte. And sums in
// initial values.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace kp::vgpu {

/// `count` ones from bit `from` of one word; from + count <= 64.
constexpr std::uint64_t ones(std::uint64_t from, std::uint64_t count) {
  return (count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1) << from;
}

inline void set_bits(std::span<std::uint64_t> words, std::uint64_t from, std::uint64_t count,
                     bool value) {
  while (count > 0) {
    const std::uint64_t bit = from % 64, run = std::min(count, 64 - bit);
    if (value) words[from / 64] |= ones(bit, run);
    if (!value) words[from / 64] &= ~ones(bit, run);
    from += run;
    count -= run;
  }
}

inline bool all_bits(std::span<const std::uint64_t> words, std::uint64_t from,
                     std::uint64_t count) {
  while (count > 0) {
    const std::uint64_t bit = from % 64, run = std::min(count, 64 - bit);
    if ((words[from / 64] | ~ones(bit, run)) != ~std::uint64_t{0}) return false;
    from += run;
    count -= run;
  }
  return true;
}

/// Adds to the 8 bytes at `offset`; nothing happens when there are fewer.
inline void add_to(std::vector<std::byte>& bytes, std::uint64_t offset, std::uint64_t value) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof value) return;
  std::uint64_t sum;
  std::memcpy(&sum, bytes.data() + offset, sizeof sum);
  sum += value;
  std::memcpy(bytes.data() + offset, &sum, sizeof sum);
}

}  // namespace kp::vgpu

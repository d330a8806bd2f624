// SPDX-License-Identifier: Apache-2.0
// Runs of bits in an array of words: the definedness shadows of memory, one bit a byte.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>

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

}  // namespace kp::vgpu

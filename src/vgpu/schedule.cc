// SPDX-License-Identifier: Apache-2.0
#include "vgpu/schedule.h"

#include <algorithm>
#include <numeric>

#include "base/random.h"

namespace kp::vgpu {

Permutation::Permutation(std::uint64_t count, std::uint64_t seed, std::uint64_t stream)
    : count_(std::max<std::uint64_t>(count, 1)) {
  if (seed == 0 || count_ == 1) return;
  Random random(seed, stream);
  shift_ = random.below(count_);
  do factor_ = 1 + random.below(count_ - 1);
  while (std::gcd(factor_, count_) != 1);
}

std::uint64_t Permutation::operator[](std::uint64_t i) const {
  using Wide = unsigned __int128;
  return std::uint64_t((Wide{factor_} * i + shift_) % count_);
}

std::uint64_t blocks_in(std::span<const Wave> waves) {
  std::uint64_t count = 0;
  for (const Wave& wave : waves) count += wave.end - wave.begin;
  return count;
}

std::vector<Wave> sample(std::uint64_t blocks, std::uint64_t sm_count, std::uint64_t limit) {
  if (limit == 0 || limit >= blocks) return {{0, blocks}};
  if (limit < sm_count) {
    const std::uint64_t begin = (blocks - limit) / 2;
    return {{begin, begin + limit}};
  }
  const std::uint64_t waves = (blocks + sm_count - 1) / sm_count, kept = limit / sm_count;
  std::vector<Wave> result;
  for (std::uint64_t k = 0; k < kept; ++k) {
    // The middle of the k-th of `kept` equal parts.
    const std::uint64_t wave = (2 * k + 1) * waves / (2 * kept);
    result.push_back({wave * sm_count, std::min((wave + 1) * sm_count, blocks)});
  }
  return result;
}

}  // namespace kp::vgpu

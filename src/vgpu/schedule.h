// SPDX-License-Identifier: Apache-2.0
// Which block runs where and when. Position p of the launch order runs on SM p mod sm_count; a
// schedule seed permutes which block stands at which position, and the order of warps in a block.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "vgpu/launch.h"

namespace kp::vgpu {

/// i -> (factor * i + shift) mod count: a permutation, drawn from a seed; the identity for seed 0.
class Permutation {
 public:
  Permutation(std::uint64_t count, std::uint64_t seed, std::uint64_t stream);
  std::uint64_t operator[](std::uint64_t i) const;

 private:
  std::uint64_t count_, factor_ = 1, shift_ = 0;
};

/// A run of positions [begin, end).
struct Wave {
  std::uint64_t begin = 0, end = 0;
};

std::uint64_t blocks_in(std::span<const Wave> waves);

/// The positions to execute when at most about `limit` blocks may run (0: all): whole waves of
/// sm_count neighbouring blocks, spread evenly over the grid, so that the caches see the neighbours
/// they would see; with a limit below one wave, one run of `limit` blocks from the middle.
std::vector<Wave> sample(std::uint64_t blocks, std::uint64_t sm_count, std::uint64_t limit);

}  // namespace kp::vgpu

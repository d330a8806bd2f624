// SPDX-License-Identifier: Apache-2.0
// Counter-based random numbers: Philox4x32-10 (Salmon et al., SC 2011). The same (key, counter)
// gives the same numbers on every machine and in any order, so that results do not depend on
// threads.
#pragma once
#include <array>
#include <cstdint>

namespace kp {

using Philox4 = std::array<std::uint32_t, 4>;
/// The block of four words for a 64-bit key and a 128-bit counter (given as two halves).
Philox4 philox(std::uint64_t key, std::uint64_t counter_low, std::uint64_t counter_high = 0);

/// A stream of numbers over one key and stream id.
class Random {
 public:
  explicit Random(std::uint64_t key, std::uint64_t stream = 0) : key_(key), stream_(stream) {}
  std::uint32_t bits32();
  std::uint64_t bits64();
  double uniform();                          // [0, 1), 53 bits
  double normal();                           // mean 0, deviation 1 (Box-Muller)
  std::uint64_t below(std::uint64_t bound);  // [0, bound), bound > 0, unbiased

 private:
  std::uint64_t key_, stream_, counter_ = 0;
  Philox4 block_{};
  unsigned used_ = 4;
};

}  // namespace kp

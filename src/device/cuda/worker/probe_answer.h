// SPDX-License-Identifier: Apache-2.0
// What kp_probe (kernels.cu) answers on a GPU that works.
#pragma once
#include <cstdint>

namespace kp::device::cuda {

inline constexpr std::uint32_t kProbeBlocks = 1024, kProbeThreads = 256, kProbeRounds = 100'000;

/// Each thread carries its number through kProbeRounds steps of a linear congruential generator;
/// the answer is the sum over all threads.
constexpr std::uint64_t probe_answer() {
  std::uint32_t factor = 1, shift = 0;  // all steps at once: x -> factor * x + shift
  for (std::uint32_t i = 0; i < kProbeRounds; ++i) {
    factor *= 1664525u;
    shift = shift * 1664525u + 1013904223u;
  }
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < kProbeBlocks * kProbeThreads; ++i) sum += factor * i + shift;
  return sum;
}

}  // namespace kp::device::cuda

// SPDX-License-Identifier: Apache-2.0
// The clock of the SMs over a lap, from the SMs' own counters before and after it.
#pragma once
#include <cstdint>
#include <optional>
#include <span>

namespace kp::device::cuda {

/// One SM at an edge of the GPU's timer, as kp_tick of kernels.cu writes it.
struct Tick {
  std::uint64_t nanoseconds = 0;  // of the timer; 0: this SM was not asked
  std::uint64_t cycles = 0;       // of the SM, when the edge was seen
  std::uint64_t slack = 0;        // cycles by which the edge may have been earlier
};

/// How long a lap's clock is watched at least: a short kernel alone says too little.
inline constexpr std::uint64_t kClockSpan = 200'000;  // nanoseconds

/// Hz, the median over the SMs whose two ticks determine their clock to 1 %; absent without any.
std::optional<double> clock_between(std::span<const Tick> before, std::span<const Tick> after);

}  // namespace kp::device::cuda

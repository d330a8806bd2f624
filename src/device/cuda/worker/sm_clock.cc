// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/worker/sm_clock.h"

#include <algorithm>
#include <vector>

namespace kp::device::cuda {
namespace {

constexpr double kTolerance = 0.01;  // of the clock; samples are void from 3 % on

/// The edges are taken to lie in the middle of what is possible.
std::optional<double> clock_of(const Tick& before, const Tick& after) {
  if (before.nanoseconds == 0 || after.nanoseconds <= before.nanoseconds) return std::nullopt;
  if (after.cycles <= before.cycles) return std::nullopt;
  const double first = static_cast<double>(before.slack) / 2;
  const double last = static_cast<double>(after.slack) / 2;
  const double cycles = static_cast<double>(after.cycles - before.cycles) + first - last;
  if (first + last > kTolerance * cycles) return std::nullopt;
  return cycles * 1e9 / static_cast<double>(after.nanoseconds - before.nanoseconds);
}

}  // namespace

std::optional<double> clock_between(std::span<const Tick> before, std::span<const Tick> after) {
  std::vector<double> clocks;
  for (std::size_t sm = 0; sm < std::min(before.size(), after.size()); ++sm) {
    if (const auto clock = clock_of(before[sm], after[sm])) clocks.push_back(*clock);
  }
  if (clocks.empty()) return std::nullopt;
  const auto middle = clocks.begin() + static_cast<std::ptrdiff_t>(clocks.size() / 2);
  std::nth_element(clocks.begin(), middle, clocks.end());
  return *middle;
}

}  // namespace kp::device::cuda

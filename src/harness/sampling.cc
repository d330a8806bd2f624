// SPDX-License-Identifier: Apache-2.0
#include "harness/sampling.h"

#include <algorithm>

#include "model/metric_keys.h"

namespace kp::harness {
namespace {

double cost_of(std::span<const LaunchCost> costs, std::uint64_t blocks) {
  double sum = 0;
  for (const LaunchCost& cost : costs)
    sum += cost.instructions_per_block * static_cast<double>(std::min(blocks, cost.blocks));
  return sum;
}

}  // namespace

std::vector<LaunchCost> launch_costs(std::span<const device::BoundStep> steps,
                                     const device::TimeReport& report) {
  std::vector<LaunchCost> costs;
  for (const device::LaunchReport& launch : report.launches) {
    const auto& bound = std::get<device::BoundLaunch>(steps[static_cast<std::size_t>(launch.step)]);
    LaunchCost& cost = costs.emplace_back();
    cost.blocks = 1;
    for (const std::uint32_t extent : bound.shape.grid) cost.blocks *= extent;
    const auto instructions = launch.metrics.get(metric::kInstructions);
    cost.instructions_per_block = instructions.value_or(0) / static_cast<double>(cost.blocks);
  }
  return costs;
}

std::uint64_t affordable_blocks(std::span<const LaunchCost> costs, double instructions,
                                std::uint64_t least, std::uint64_t most) {
  std::uint64_t low = std::min(least, most), high = most;
  while (low < high) {
    const std::uint64_t middle = low + (high - low + 1) / 2;
    if (cost_of(costs, middle) <= instructions)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

}  // namespace kp::harness

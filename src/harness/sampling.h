// SPDX-License-Identifier: Apache-2.0
// How many blocks of each launch a quick timing executes. Used by timing.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "device/device.h"

namespace kp::harness {

/// What one launch costs: its blocks, and warp instructions of one of them.
struct LaunchCost {
  std::uint64_t blocks = 0;
  double instructions_per_block = 0;
};

/// As read from a report of `steps` (of a sample or not); a launch without counters costs nothing.
std::vector<LaunchCost> launch_costs(std::span<const device::BoundStep> steps,
                                     const device::TimeReport& report);

/// The largest number of blocks of each launch, at most `most`, so that all launches together stay
/// within `instructions`; never less than `least`.
std::uint64_t affordable_blocks(std::span<const LaunchCost> costs, double instructions,
                                std::uint64_t least, std::uint64_t most);

}  // namespace kp::harness

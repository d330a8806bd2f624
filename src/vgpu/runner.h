// SPDX-License-Identifier: Apache-2.0
// Runs the blocks of a launch to the end, over the host's threads or on one interleaved schedule.
// machine.cc calls it.
#pragma once
#include <optional>
#include <vector>

#include "vgpu/launch.h"

namespace kp::vgpu {

struct RunOutcome {
  std::optional<Fault> fault;
  bool out_of_budget = false, stopped = false;
  std::uint64_t instructions = 0;
  std::vector<SmCounters> counters;  // kCount: one for each SM
};

RunOutcome run_grid(Launch& launch, const RunOptions& options);

}  // namespace kp::vgpu

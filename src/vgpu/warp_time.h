// SPDX-License-Identifier: Apache-2.0
// How long one warp takes when nothing else runs: a scoreboard walks its instructions in program
// order. Used by the time model for its latency roof.
#pragma once
#include <vector>

#include "vgpu/time_model.h"

namespace kp::vgpu {

/// Cycles from the issue of each instruction until its result can be used, from its kind and from
/// what the counters saw of its accesses (hits, conflicts).
std::vector<double> result_latencies(const Program& program, const GridCounters& counters,
                                     const TimeConstants& constants);

/// Cycles that each executed instruction adds to its warp, once: its issue slots and the wait for
/// its operands. Loops are walked twice, so that values carried around them are waited for.
std::vector<double> issue_intervals(const Program& program, const GridCounters& counters,
                                    const std::vector<double>& latencies,
                                    const TimeConstants& constants);

/// Cycles of the mean warp: intervals weighted by how often each instruction was issued.
double warp_cycles(const Program& program, const GridCounters& counters,
                   const TimeConstants& constants);

}  // namespace kp::vgpu

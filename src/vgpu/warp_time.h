// SPDX-License-Identifier: Apache-2.0
// How long one warp takes when nothing else runs: a scoreboard walks its instructions in program
// order. Used by the time model for its latency roof.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "vgpu/time_model.h"

namespace kp::vgpu {

/// Cycles from the issue of each instruction until its result can be used, from its kind and from
/// what the counters saw of its accesses (hits, conflicts).
std::vector<double> result_latencies(const Program& program, const GridCounters& counters,
                                     const TimeConstants& constants);

/// What a warp waits for, by the names of Nsight Compute's stall reasons.
enum class WaitReason : std::uint8_t {
  kNothing,
  kFixedLatency,     // arithmetic of known latency, matrix products included
  kShortScoreboard,  // shared memory, shuffles, special functions and conversions
  kLongScoreboard,   // global and local loads, atomics that return, asynchronous copies
  kBarrier,
  kDrain,  // its stores, at the end
};
inline constexpr std::size_t kWaits = 6;

/// Cycles that one instruction adds to its warp: its issue slots, and the wait before them for the
/// last of its operands.
struct Interval {
  double slots = 0, wait = 0;
  WaitReason reason = WaitReason::kNothing;
  double cycles() const { return slots + wait; }
};

/// Of each executed instruction, once. Loops are walked twice, so that values carried around them
/// are waited for.
std::vector<Interval> issue_intervals(const Program& program, const GridCounters& counters,
                                      const std::vector<double>& latencies,
                                      const TimeConstants& constants);

/// The life of the mean warp in cycles: intervals weighted by how often each instruction was
/// issued.
struct WarpLife {
  double cycles = 0;
  std::array<double, kWaits> waits{};  // by WaitReason; part of `cycles`
  double waited(WaitReason reason) const { return waits[static_cast<std::size_t>(reason)]; }
};
WarpLife warp_life(const Program& program, const GridCounters& counters,
                   const TimeConstants& constants);

}  // namespace kp::vgpu

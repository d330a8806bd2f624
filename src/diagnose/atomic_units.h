// SPDX-License-Identifier: Apache-2.0
// How many additions the atomic units get, and how long these take for them.
#pragma once
#include <optional>

#include "diagnose/evidence.h"

namespace kp::diagnose {

/// Atomic instructions on global memory; both counters must be known.
double global_atomics(const Evidence& evidence);
/// Whether these are no more than one for each block.
bool one_for_each_block(const Evidence& evidence);

/// ns that the L2 needs for the global atomics if they spread evenly over it; absent when the rates
/// of the device are unknown.
std::optional<double> spread_time(const Evidence& evidence);

/// ns that the sectors counted at the L2's atomic units take, when they spread evenly and when all
/// of them meet on one line.
struct AtomicTimes {
  double spread = 0, met = 0;
};
/// Absent when a counter or the rates of the device are unknown.
std::optional<AtomicTimes> atomic_times(const Evidence& evidence);

/// Share of the L1's work that stays when the lanes of a shared atomic no longer meet: `sharing` of
/// them add to one word and take a wavefront each. The instructions must be known.
double left_without_meeting(const Evidence& evidence, double sharing);

/// Additions to shared memory that load, compute and compare-and-swap in a loop, as floats do on
/// hardware: the counters hold every try of every lane that met another.
struct Tries {
  double sharing = 1;  // lanes on one word
  double left = 1;     // of the L1's work when they no longer meet
};
/// Absent where there is no such loop, and when a counter is unknown.
std::optional<Tries> shared_tries(const Evidence& evidence);

}  // namespace kp::diagnose

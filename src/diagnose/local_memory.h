// SPDX-License-Identifier: Apache-2.0
// The traffic of local memory: spilled registers and arrays of each thread, and what of a kernel's
// time goes with it.
#pragma once
#include "diagnose/evidence.h"
#include "diagnose/resources.h"

namespace kp::diagnose {

/// From here the hardware sets the limit of a thread's registers, and not the launch bounds.
inline constexpr double kAllRegisters = 250;

/// What goes to local memory.
struct LocalTraffic {
  double loads = 0, stores = 0;  // sectors
  bool executed = false;         // counted on hardware, so spills are among them
  bool known = false;

  double sectors() const { return loads + stores; }
  double accesses() const;  // of whole warps
};

/// As it was counted.
LocalTraffic local_traffic(const Evidence& evidence);
/// Spilled words that each thread moves at least: every spill once.
LocalTraffic spills_at_least(const Evidence& evidence);
/// The same when the spills are in the loops: of the operands of arithmetic, as many come from
/// local memory and go back there as there are spilled values among all.
LocalTraffic spills_in_loops(const Evidence& evidence);

/// Values of a thread that are spilled; the code stores and loads each.
double spilled_values(const Evidence& evidence);
/// Registers of a thread; kAllRegisters when unknown.
double registers_of(const Evidence& evidence);
/// Whether arrays cause what was counted: the virtual GPU executes no spills, and there were more
/// accesses than spills explain.
bool arrays_only(const Evidence& evidence, const LocalTraffic& local);

/// Share of the kernel's time that goes with these accesses.
double share_of_local(const Evidence& evidence, const LocalTraffic& local,
                      const ResourceTimes& times);
/// The same for accesses that the times do not contain yet.
double share_on_top(const Evidence& evidence, const LocalTraffic& local,
                    const ResourceTimes& times);

}  // namespace kp::diagnose

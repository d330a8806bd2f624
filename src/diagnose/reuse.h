// SPDX-License-Identifier: Apache-2.0
// Loads of the same values by several threads: how often each is loaded, how often it would be if a
// thread or a block used it several times, and what that relieves.
#pragma once
#include <optional>
#include <string>

#include "diagnose/evidence.h"
#include "diagnose/resources.h"

namespace kp::diagnose {

/// What of the loads is repeated, and how many of them must stay.
struct Reuse {
  double left = 1;       // of the loads, when each value is used several times
  double l2_bytes = 0;   // that tiles would still load
  std::string evidence;  // what was seen, without places
};

/// Operands of a contraction, whose FLOP the floor must state; absent when each load already serves
/// several multiply-adds. Global loads and shared wavefronts must be known here and below.
std::optional<Reuse> reuse_in_contraction(const Evidence& evidence);
/// What is no contraction: stencils and other windows, against the bytes that the task must move.
/// Absent when values are loaded few times.
std::optional<Reuse> reuse_in_window(const Evidence& evidence, double bytes_per_sector);
/// The same without a task: what DRAM delivered stands for what has to be loaded.
std::optional<Reuse> reuse_without_task(const Evidence& evidence, double bytes_per_sector);

/// What each resource still has to do when values are used several times. Where stalls were
/// measured, warps wait less only as far as they wait for loads.
Relief relief_of(const Evidence& evidence, const Reuse& reuse, const ResourceTimes& times);

}  // namespace kp::diagnose

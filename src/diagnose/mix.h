// SPDX-License-Identifier: Apache-2.0
// What a kernel's threads execute, by class, and how long the arithmetic pipes take for it.
#pragma once
#include <initializer_list>
#include <optional>

#include "diagnose/evidence.h"

namespace kp::diagnose {

/// Thread instructions of one launch.
struct InstructionCounts {
  double all = 0;
  double fadd = 0, fmul = 0, ffma = 0;
  double f64 = 0;
  double xu = 0;             // transcendentals and reciprocals
  double conversions = 0;    // all of them
  double conversions64 = 0;  // of these, to or from double
  double integer = 0, control = 0;
  double refinement = 0;  // steps of exact functions that no counter shows, on the FP32 pipe

  double f32() const { return fadd + fmul + ffma; }
};

/// `needs` of instruction_mix must be known. What is not counted apart is estimated: XU
/// instructions from the pipe's utilisation and `xu_rate` (per clock and SM), conversions to double
/// from the lines that compute in it, refinement from what no class explains.
InstructionCounts counts_of(const Evidence& evidence, double xu_rate);

/// Thread instructions per clock and SM of each pipe, from the [model] table of the device spec.
struct PipeRates {
  double f32 = 0, f64 = 0, integer = 0, xu = 0, conversion = 0, conversion64 = 0;

  /// Clocks of one SM for all of the launch: the XU alone / the pipe that takes longest.
  double xu_clocks(const InstructionCounts& counts) const;
  double longest(const InstructionCounts& counts) const;
};
/// Absent when the spec does not have them.
std::optional<PipeRates> pipe_rates(const DeviceSpec& device);

/// Instructions of whole warps that the thread instructions `keys` make; unknown ones add nothing.
double warp_instructions(const Evidence& evidence, std::initializer_list<MetricKey> keys);

/// What the arithmetic pipes still need, as a share of today, when `integer` of the integer
/// instructions stay; 1 where the mix of instructions or the pipe rates are unknown.
double pipe_left(const Evidence& evidence, double integer);

}  // namespace kp::diagnose

// SPDX-License-Identifier: Apache-2.0
// What a warp waits for, as shares of its time: from the stall reasons of a profiler where they
// were measured, else from the waits that the virtual GPU models for a warp that is alone on its
// SM. Used by the tools about waiting.
#pragma once
#include <array>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "diagnose/resources.h"

namespace kp::diagnose {

enum class Stall {
  kLongScoreboard,   // data of global or local memory
  kShortScoreboard,  // shared memory, shuffles, transcendentals
  kMioThrottle,      // the queue before these is full
  kLgThrottle,       // the queue of global and local accesses is full
  kBarrier,
  kMembar,
  kMathPipe,      // the pipe is busy with other warps
  kFixedLatency,  // the result of the instruction before
  kNoInstruction,
  kDrain,  // stores outstanding at the end
};
inline constexpr std::size_t kStalls = 10;
std::string_view name_of(Stall reason);  // "data of global memory", "barriers", ...

struct Stalls {
  std::array<std::optional<double>, kStalls> shares;  // of a warp's time, in [0, 1]
  Grade grade = Grade::kModelled;                     // the weakest among the metrics read

  /// Absent means unknown.
  std::optional<double> of(Stall reason) const { return shares[static_cast<std::size_t>(reason)]; }
  /// Together; what is unknown counts as nothing, and all unknown is absent.
  std::optional<double> of(std::initializer_list<Stall> reasons) const;
  /// The known reason with the largest share; absent when none is above zero.
  std::optional<Stall> dominant() const;
};
/// Measured: cycles waited for each reason over the cycles between two instructions of a warp.
/// Modelled: as the time model says. The two are never mixed. Absent when neither is known.
std::optional<Stalls> stalls_of(const KernelProfile& kernel);
/// The metric that a profile without stalls lacks first.
MetricKey missing_stall();

/// Share of the kernel's time, in [0, 1), that goes away when a warp no longer waits for `share` of
/// its time: at most the issue slots that are idle today, and only as far as latency bounds the
/// kernel.
double share_of_waiting(const Evidence& evidence, const ResourceTimes& times, double share);

}  // namespace kp::diagnose

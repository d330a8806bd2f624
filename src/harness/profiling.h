// SPDX-License-Identifier: Apache-2.0
// Profiles of a candidate whose arrays exist on real hardware.
#pragma once
#include <optional>

#include "harness/contest.h"
#include "profile/source.h"

namespace kp::harness {

/// A run of the plan that was timed, to be repeated for counters.
struct TimedRun {
  const Workload& workload;
  const std::vector<device::BoundStep>& steps;
  double nanoseconds = 0;
  std::optional<double> low, high;
};

/// What all sources say of the run; its launches are timed apart where there are several.
Result<Profile> profile_run(const VerifyRequest& request, device::Hardware& hardware,
                            const TimedRun& run, profile::ProfileRequest::Effort effort);

/// All metrics of a candidate that was verified and timed before, on fresh inputs of the first
/// `time` workload. Absent when it fails this time. `key` is secret.
Result<std::optional<Profile>> profile_fully(const VerifyRequest& request,
                                             device::Hardware& hardware, Referee& referee,
                                             std::uint64_t key);

}  // namespace kp::harness

// SPDX-License-Identifier: Apache-2.0
// All contests of a verified candidate on real hardware, and its profile.
#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "harness/contest.h"
#include "harness/timing.h"

namespace kp::harness {

/// As time_candidate, with measured times. `key` is secret. Adds the seconds of the phases contest
/// and profile to `phases`.
Result<std::variant<Timed, Outcome>> play_match(const VerifyRequest& request, const Bench& bench,
                                                std::uint64_t key,
                                                std::map<std::string, double>& phases);

}  // namespace kp::harness

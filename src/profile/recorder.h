// SPDX-License-Identifier: Apache-2.0
// From a trace and counts (trace.h) to a recording.
#pragma once
#include <string>

#include "profile/recording.h"
#include "profile/sass_text.h"
#include "profile/trace.h"

namespace kp::profile {

/// Kernels with shares of time and what their launches say; no counters yet.
Recording recording_of(const Trace& trace);

/// The request that asks for the counters of the kernels that take the most time, each at its
/// launch of median duration. Empty when none can be counted.
std::string count_request(const Trace& trace);

/// Adds what was counted for that request.
void add_counts(const Trace& trace, const Counts& counts, Recording& recording);

/// Adds what the machine code of the kernels holds, where it is among `functions`.
void add_code(const Trace& trace, const std::vector<SassFunction>& functions, Recording& recording);

}  // namespace kp::profile

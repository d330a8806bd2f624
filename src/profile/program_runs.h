// SPDX-License-Identifier: Apache-2.0
// The two ways into somebody else's program; program.cc chooses.
#pragma once
#include "profile/program.h"

namespace kp::profile {

inline constexpr std::uint64_t kAnyFile = ~0ull;  // the program may write what it likes

struct Injected {
  Recording recording;
  bool counted = false;  // counters of any kernel
};
/// Our own library: once for the time, once more for counters and machine code.
Result<Injected> record_by_injection(const ProgramRequest& request);

/// `ncu` runs the program and counts its first launches. kUnavailable without ncu, and with its own
/// words where it cannot count; kTimeout.
Result<Recording> record_by_ncu(const ProgramRequest& request);

}  // namespace kp::profile

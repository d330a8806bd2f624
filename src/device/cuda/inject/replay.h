// SPDX-License-Identifier: Apache-2.0
// Counts chosen launches of the program while it runs, each repeated by CUPTI in place.
#pragma once
#include <string>

namespace kp::inject {

/// Reads what to count from `folder`/request (lines as in profile/trace.h) and writes what was
/// counted beside it.
void start_replay(const std::string& folder);

}  // namespace kp::inject

// SPDX-License-Identifier: Apache-2.0
// A candidate as a file that needs no command line.
#pragma once
#include <string>

#include "base/result.h"
#include "model/task.h"

namespace kp::loop {

/// The source with the chosen tune values put first, so that they are the defaults.
Result<std::string> standalone(const Candidate& candidate);

}  // namespace kp::loop

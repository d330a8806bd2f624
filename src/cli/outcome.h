// SPDX-License-Identifier: Apache-2.0
// The last lines of optimize and resume.
#pragma once
#include "cli/terminal.h"
#include "loop/conclude.h"

namespace kp::cli {

/// Prints what was won and the next command, or the JSON object; returns the exit code.
Result<int> report_ending(const loop::Ending& ending, const Path& folder, bool json,
                          Terminal& terminal);

}  // namespace kp::cli

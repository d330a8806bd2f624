// SPDX-License-Identifier: Apache-2.0
// The first and the last lines of optimize and resume.
#pragma once
#include "cli/terminal.h"
#include "loop/conclude.h"
#include "loop/undertaking.h"

namespace kp::cli {

/// Says what is about to be driven, and where it is kept.
void note_start(const loop::Undertaking& undertaking, const Path& folder, Terminal& terminal);

/// Prints what was won and the next command, or the JSON object; returns the exit code.
Result<int> report_ending(const loop::Ending& ending, const Path& folder, bool json,
                          Terminal& terminal);

}  // namespace kp::cli

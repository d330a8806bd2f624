// SPDX-License-Identifier: Apache-2.0
// What most commands need before they can begin, and being stopped by signals.
#pragma once
#include "cli/terminal.h"
#include "loop/workshop.h"

namespace kp::cli {

using loop::open_workshop;
using loop::Workshop;

/// Says what is known against the task itself, if anything.
void note_doubts(const Task& task, Terminal& terminal);

/// Set by Ctrl-C and SIGTERM once this was called; a second signal ends the program at once.
const StopFlag& stop_on_signals();
/// Whether such a signal came.
bool interrupted();

}  // namespace kp::cli

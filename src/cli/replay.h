// SPDX-License-Identifier: Apache-2.0
// A recorded run, repeated without its device, its model and a compiler.
#pragma once
#include <optional>
#include <string>

#include "base/file.h"
#include "base/stop.h"
#include "cli/terminal.h"
#include "loop/conclude.h"
#include "model/task.h"

namespace kp::cli {

/// The file of a proposer that is called "replay:FILE".
std::optional<std::string> recording_of(const std::string& proposer);

/// Grows the recorded tree again, as a run in `folder`. kInvalidInput when the task is another one,
/// kCorrupt when the run takes another path than the recorded one.
Result<loop::Ending> replay(const Task& task, const std::string& file, const Path& folder,
                            const StopFlag& stop, Terminal& terminal);

}  // namespace kp::cli

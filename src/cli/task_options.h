// SPDX-License-Identifier: Apache-2.0
// The task of commands that begin a run, and what the run begins with.
#pragma once
#include <CLI/CLI.hpp>
#include <string>

#include "loop/settings.h"
#include "model/task.h"

namespace kp::cli {

/// --from.
void add_from_option(CLI::App& command, Path& from);
/// The task with the baseline that --from names, if it was given; its path becomes absolute.
Result<Task> read_task(const std::string& path, Path& from);
/// kInvalidInput where `proposer` can only change a plan that there is none of.
Result<void> check_begin(const Task& task, const std::string& proposer);

}  // namespace kp::cli

// SPDX-License-Identifier: Apache-2.0
// The options of commands that begin a run.
#pragma once
#include <CLI/CLI.hpp>
#include <string>

#include "base/file.h"
#include "loop/settings.h"

namespace kp::cli {

/// --search, --budget, --patience, --seed.
void add_search_options(CLI::App& command, loop::Settings& settings);
/// `out`, or when it is empty runs/NAME, runs/NAME-2, ...: the first that is free.
Path run_folder(const std::string& out, const std::string& name);

}  // namespace kp::cli

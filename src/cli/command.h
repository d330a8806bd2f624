// SPDX-License-Identifier: Apache-2.0
// How a sub-command joins the program: its add_ function declares options on the parser, and sets
// `run` to what is to be done when it is chosen. One file for each; catalog.cc is the only list.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>

#include "cli/terminal.h"

namespace kp::cli {

/// Exit codes, the same for every command (docs/cli.md).
enum Exit : int {
  kDone = 0,
  kFailed = 1,         // the world or the input is at fault; the message says which and what to do
  kUsage = 2,          // the command line cannot be read
  kBadCandidate = 3,   // eval, check: the candidate is broken or wrong
  kInterrupted = 130,  // Ctrl-C; the best so far is kept
};

using Run = std::function<Result<int>(Terminal&)>;

/// Help on the task, the same wherever it is.
constexpr const char* kTaskHelp =
    "task folder, a .cu file that declares its task, or a problem in Python (NAME.py)";
/// Help on --device, the same wherever it is.
constexpr const char* kDeviceHelp = "cuda[:N] or vgpu[:SPEC]; default: the first that works";

/// Accepts numbers from `least` on, and says so when it refuses one.
CLI::Validator at_least(int least);
/// Accepts what PyTorch may run on: cpu, cuda or cuda:N.
CLI::Validator device_of_torch();

void add_optimize(CLI::App& app, Run& run);
void add_resume(CLI::App& app, Run& run);
void add_start(CLI::App& app, Run& run);
void add_ask(CLI::App& app, Run& run);
void add_tell(CLI::App& app, Run& run);
void add_work(CLI::App& app, Run& run);
void add_finish(CLI::App& app, Run& run);
void add_eval(CLI::App& app, Run& run);
void add_check(CLI::App& app, Run& run);
void add_diagnose(CLI::App& app, Run& run);
void add_init(CLI::App& app, Run& run);
void add_screen(CLI::App& app, Run& run);
void add_show(CLI::App& app, Run& run);
void add_explain(CLI::App& app, Run& run);
void add_memory(CLI::App& app, Run& run);
void add_bench(CLI::App& app, Run& run);
void add_export(CLI::App& app, Run& run);
void add_trace(CLI::App& app, Run& run);
void add_search_code(CLI::App& app, Run& run);
void add_read_code(CLI::App& app, Run& run);
void add_mcp(CLI::App& app, Run& run);
void add_survey(CLI::App& app, Run& run);
void add_claims(CLI::App& app, Run& run);
void add_tools(CLI::App& app, Run& run);
void add_doctor(CLI::App& app, Run& run);

/// Declares every sub-command, in the order in which help lists them.
void add_all(CLI::App& app, Run& run);

}  // namespace kp::cli

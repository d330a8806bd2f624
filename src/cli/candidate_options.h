// SPDX-License-Identifier: Apache-2.0
// What eval, check and diagnose have in common: a task, a candidate of it, a device.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/workshop.h"
#include "loop/judge.h"

namespace kp::cli {

struct CandidateOptions {
  std::string task;
  std::string kernel;  // file; empty: the task's baseline
  Path from;           // plan that takes the place of that baseline; empty: none
  std::string device;
  std::vector<std::string> set;  // NAME=VALUE of tune parameters
  std::vector<std::string> code_roots;
  std::uint64_t seed = 1;
  bool json = false;
};

void add_candidate_options(CLI::App& command, CandidateOptions& options);
Result<Workshop> open_workshop(const CandidateOptions& options);
/// The baseline as a candidate. kInvalidInput when the task has none.
Result<Candidate> read_baseline(const Task& task);
/// Judges the file or the baseline; a plan that cannot be read is a BuildFailed.
Result<loop::Judged> judge_source(Workshop& shop, const CandidateOptions& options, Depth depth);

/// The fault that Harness::check finds in the file or the baseline, or nothing.
Result<std::optional<Evaluation>> check_source(Workshop& shop, const CandidateOptions& options);

}  // namespace kp::cli

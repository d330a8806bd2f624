// SPDX-License-Identifier: Apache-2.0
// The kinds of things that `diagnose` looks at. One file for each; diagnose.cc tells them apart and
// prints what they found.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/candidate_options.h"
#include "cli/terminal.h"
#include "diagnose/recorded.h"

namespace kp::cli {

struct DiagnoseOptions {
  CandidateOptions candidate;      // task and kernel from `words`
  std::vector<std::string> words;  // what stands on the command line besides options
  bool program = false;            // `words` came after --: a program to run
  std::string compare;             // file; empty: nothing to compare with
  std::optional<int> top;          // kernels; 0: all
  bool markdown = false, rules = false;
  std::string via;  // how to look into a program: "inject", "ncu"; empty: as it can be done
};

/// What was found, or the evaluation of a candidate that could not be profiled.
struct Diagnosed {
  diagnose::ProgramDiagnosis program;
  std::vector<profile::RuleMessage> rules;
  std::optional<Evaluation> bad;
};

/// A task's baseline, or a candidate of it.
Result<Diagnosed> diagnose_task(const DiagnoseOptions& options);
/// A file that a profiler wrote: by its content, whatever its name.
Result<Diagnosed> diagnose_file(const Path& file);
/// A program that is run here under a profiler.
Result<Diagnosed> diagnose_program(const DiagnoseOptions& options, Terminal& terminal);

/// What all recordings have in common: the spec is chosen, the kernels are diagnosed.
Result<Diagnosed> diagnose_recording(profile::Recording recording);

}  // namespace kp::cli

// SPDX-License-Identifier: Apache-2.0
// How a proposer that asks a model is set up: the arms of the ablations, and what it may spend.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/result.h"

namespace kp::propose {

/// What a model is told about how the parent ran; docs/proposers.md.
enum class Arm {
  kTools,    // findings of the diagnosis
  kRaw,      // hardware counters, name = value unit
  kNcu,      // the rules' own text of Nsight Compute
  kPlacebo,  // findings that belong to another kernel
  kNone,     // the verdict alone
};
inline constexpr std::array kArms{Arm::kTools, Arm::kRaw, Arm::kNcu, Arm::kPlacebo, Arm::kNone};
std::string_view name_of(Arm arm);

/// Whether that stands in the prompt, or the model has to call for it.
enum class Invocation { kProactive, kReactive };
inline constexpr std::array kInvocations{Invocation::kProactive, Invocation::kReactive};
std::string_view name_of(Invocation invocation);

struct ProposerOptions {
  Arm arm = Arm::kTools;
  Invocation invocation = Invocation::kProactive;
  bool memory = true;                // what was tried before stands in the prompt
  int seeds = 1;                     // first versions from nothing, for each temperature
  std::vector<double> temperatures;  // used in turn; empty: the server's default
  std::vector<Path> code_roots;      // folders that the model may search
  std::int64_t most_tokens = 0;      // of the run, read and written; 0: no limit
  double most_cost = 0;              // of the run, in the currency of `prices`; 0: no limit
  Path prices;                       // price file; empty: the shipped one
  Path record;                       // where the conversation is recorded; empty: nowhere
};

/// Paths made absolute, so that a run can be resumed from another folder. kNotFound names a folder
/// or file that does not exist; kUnsupported an arm for which runs have no data.
Result<ProposerOptions> resolved(ProposerOptions options);

/// How many first versions are wanted of a task without baseline.
int seeds_wanted(const ProposerOptions& options);

/// The form that a run store keeps: keys such as "arm" and "max_tokens".
std::map<std::string, std::string> to_meta(const ProposerOptions& options);
/// Keys that are missing have their default: runs of older programs. kCorrupt names a value that
/// cannot be read.
Result<ProposerOptions> options_from(const std::map<std::string, std::string>& meta);

}  // namespace kp::propose

// SPDX-License-Identifier: Apache-2.0
// Reading tasks and candidates. One adapter a file: single_file.cc, directory.cc; plan_parser.cc
// reads the comment both rely on.
#pragma once
#include <string>
#include <string_view>

#include "base/file.h"
#include "model/task.h"

namespace kp::task {

/// One statement of a declaration as it stands in the plan, blanks and comments reduced to one
/// blank.
struct DeclarationLine {
  std::string text;
  SourceSpot spot;
};

/// What one plan comment says: a declaration only when it is a single-file task's.
struct ParsedPlan {
  Plan plan;
  Declaration declaration;          // empty tensors when the plan declares none
  std::vector<Workload> workloads;  // from `axis`, `check` and `time` lines
  bool declares_task = false;
  std::vector<DeclarationLine> declaration_lines;
};

/// Finds and parses the plan comment of `source`. Errors carry `file`, line, column and a hint.
/// `file` only names the text in messages.
Result<ParsedPlan> parse_plan(std::string_view source, const std::string& file);

/// A folder with definition.json, or a .cu file that declares its own task.
Result<Task> read_task(const Path& path);

/// Checks the plan of `source` against the task: names known, launches well formed for every
/// workload (grid and block in range, shared memory, argument names), precision only tightened,
/// `level` consistent with what is included, a tune choice that satisfies `where`. Missing tune
/// names take their first value.
Result<Candidate> make_candidate(const Task& task, std::string source, std::string file,
                                 const Bindings& tune = {});

/// Makes the plan at `file` the task's baseline, whatever it had. Errors: it is no candidate of the
/// task.
Result<void> begin_from(Task& task, const Path& file);

/// Every assignment of the plan's tune parameters that satisfies `where` for all workloads, the
/// default first, then in lexicographic order of declaration. kLimit above `most` assignments.
Result<std::vector<Bindings>> tune_choices(const Task& task, const Plan& plan,
                                           std::size_t most = 256);

/// The plan comment that makes `candidate` what it is, in canonical form (used by rewrites that
/// change launches). Parsing it gives an equal Plan.
std::string print_plan(const Plan& plan);

/// `source` with its plan comment replaced: its declaration lines stay, `plan` follows in canonical
/// form.
Result<std::string> replace_plan(std::string_view source, const std::string& file,
                                 const Plan& plan);

/// Byte range [begin, end) of the plan comment in `source`, with its delimiters.
struct TextRange {
  std::size_t begin = 0, end = 0;
};
Result<TextRange> find_plan(std::string_view source, const std::string& file);

/// One launch with all expressions evaluated, as a device needs it.
struct ResolvedLaunch {
  const Launch* launch = nullptr;
  std::uint32_t grid[3]{1, 1, 1};
  std::uint32_t block[3]{1, 1, 1};
  std::uint32_t cluster[3]{1, 1, 1};
  std::uint64_t shared_bytes = 0;
};
/// Errors: a dimension that is zero, negative or above the CUDA limits (grid x 2^31-1, y and z
/// 65535; block 1024 threads, z 64), with the launch's spot.
Result<ResolvedLaunch> resolve_launch(const Launch& launch, const Bindings& bindings);

}  // namespace kp::task

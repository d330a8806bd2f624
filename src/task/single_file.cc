// SPDX-License-Identifier: Apache-2.0
// A .cu file whose plan declares its own task: the file is the baseline.
#include <fmt/format.h>

#include "task/reader.h"
#include "task/task.h"

namespace kp::task {
namespace {

/// NAME.reference.cc, then reference.cc, beside the file; then the plan's oracle kernels; then the
/// outputs of the file itself.
Oracle find_oracle(const Path& path, const Plan& plan) {
  std::error_code code;
  for (const std::string& name :
       {path.stem().string() + ".reference.cc", std::string("reference.cc")}) {
    const Path beside = path.parent_path() / name;
    if (std::filesystem::is_regular_file(beside, code)) return {Oracle::Kind::kHost, beside, {}};
  }
  return {plan.oracle.empty() ? Oracle::Kind::kSelf : Oracle::Kind::kKernels, {}, {}};
}

}  // namespace

Result<Task> read_single_file(const Path& path) {
  KP_TRY(std::string source, read_text(path));
  KP_TRY(ParsedPlan parsed, parse_plan(source, path.string()));
  if (!parsed.declares_task) {
    return fail_at(parsed.plan.spot, "the plan declares no task",
                   "add `axis`, `input` and `output` lines, or name the folder of the task that "
                   "this candidate is for");
  }
  Task task;
  task.name = path.stem().string();
  task.path = path;
  task.declaration = std::move(parsed.declaration);
  task.workloads = std::move(parsed.workloads);
  task.oracle = find_oracle(path, parsed.plan);
  task.baseline = std::move(source);
  task.baseline_path = path;
  KP_TRY_VOID(make_candidate(task, *task.baseline, path.string()));
  return task;
}

}  // namespace kp::task

// SPDX-License-Identifier: Apache-2.0
// A folder with definition.json, workload.jsonl, reference.cc and, where there is one, baseline.cu.
#include <fmt/format.h>

#include "task/definition.h"
#include "task/reader.h"
#include "task/task.h"

namespace kp::task {
namespace {

bool is_file(const Path& path) {
  std::error_code code;
  return std::filesystem::is_regular_file(path, code);
}

Result<void> require(const Path& path, std::string hint) {
  if (is_file(path)) return {};
  return fail(ErrorCode::kNotFound, fmt::format("{} does not exist", path.string()),
              std::move(hint));
}

Result<void> read_baseline(Task& task) {
  const Path path = task.path / "baseline.cu";
  if (!is_file(path)) return {};
  KP_TRY(task.baseline, read_text(path));
  task.baseline_path = path;
  return {};
}

Result<Oracle> find_oracle(const Task& task, const std::vector<Step>& oracle_steps) {
  const Path reference = task.path / "reference.cc";
  const Path kernels = task.path / "reference.cu";
  const Path device_source = is_file(kernels) ? kernels : Path();
  if (is_file(reference)) return Oracle{Oracle::Kind::kHost, reference, device_source};
  if (!oracle_steps.empty()) return Oracle{Oracle::Kind::kKernels, {}, device_source};
  return fail(
      ErrorCode::kNotFound,
      fmt::format("task `{}` has no reference: {} does not exist", task.name, reference.string()),
      "define kernelpro_reference there (docs/task.md has its signature), or give "
      "baseline.cu an `oracle launch`");
}

}  // namespace

Result<Task> read_directory(const Path& folder) {
  KP_TRY_VOID(require(folder / "definition.json",
                      "a task folder has definition.json and workload.jsonl; see docs/task.md"));
  KP_TRY_VOID(
      require(folder / "workload.jsonl",
              "each line gives the axes one value: {\"uuid\": \"a\", \"axes\": {\"n\": 67}}"));
  KP_TRY(Definition definition, read_definition(folder / "definition.json"));
  Task task;
  KP_TRY(task.workloads, read_workloads(definition, folder / "workload.jsonl"));
  task.name = std::move(definition.name);
  task.path = folder;
  task.description = std::move(definition.description);
  task.reference = std::move(definition.reference);
  task.declaration = std::move(definition.declaration);
  KP_TRY_VOID(read_baseline(task));
  std::vector<Step> oracle_steps;
  if (task.baseline) {
    KP_TRY(Candidate baseline, make_candidate(task, *task.baseline, task.baseline_path.string()));
    oracle_steps = std::move(baseline.plan.oracle);
  }
  KP_TRY(task.oracle, find_oracle(task, oracle_steps));
  return task;
}

}  // namespace kp::task

// SPDX-License-Identifier: Apache-2.0
// Tasks of several files: definition, workloads, reference and, where there is one, a baseline.
#include <fmt/format.h>

#include <set>

#include "task/custom_inputs.h"
#include "task/definition.h"
#include "task/problem_files.h"
#include "task/python_reference.h"
#include "task/reader.h"
#include "task/task.h"

namespace kp::task {
namespace {

bool is_file(const Path& path) {
  std::error_code code;
  return std::filesystem::is_regular_file(path, code);
}

Result<void> read_baseline(Task& task, const Path& path) {
  if (!is_file(path)) return {};
  KP_TRY(task.baseline, read_text(path));
  task.baseline_path = path;
  return {};
}

Result<Oracle> find_oracle(const Definition& definition, const ProblemFiles& files,
                           const std::vector<Step>& oracle_steps) {
  const Path device_source = is_file(files.device_reference) ? files.device_reference : Path();
  if (is_file(files.reference)) return Oracle{Oracle::Kind::kHost, files.reference, device_source};
  if (!oracle_steps.empty()) return Oracle{Oracle::Kind::kKernels, {}, device_source};
  if (!definition.reference.empty()) {
    KP_TRY(const Path problem, keep_python_problem(python_problem_of(definition)));
    return Oracle{Oracle::Kind::kTorch, problem, device_source};
  }
  return fail(ErrorCode::kNotFound,
              fmt::format("task `{}` has no reference: {} does not exist", definition.name,
                          files.reference.string()),
              fmt::format("define kernelpro_reference there (docs/task.md has its signature), give "
                          "{} an `oracle launch`, or the definition a `reference` in Python",
                          files.baseline.filename().string()));
}

/// What a copy of the task needs besides the folder or the definition's file.
std::vector<TaskFile> other_files(const Task& task, const ProblemFiles& files) {
  std::vector<TaskFile> others;
  const bool folder = files.path != files.definition;
  if (!folder) {
    const Path stem = files.definition.stem();
    others.push_back({files.workloads, stem.string() + ".jsonl"});
    for (const Path& file : {files.reference, files.device_reference, files.baseline})
      if (is_file(file)) others.push_back({file, file.filename()});
  }
  std::set<Path> taken;
  const Path beside = folder ? files.path.filename() : Path();
  for (const Workload& workload : task.workloads) {
    for (const auto& [name, data] : workload.data) {
      if (data.path.empty()) continue;  // it can be made again
      const Path place = beside / data.path;
      const bool inside = folder && data.file == files.roots.front() / data.path;
      if (!inside && place.is_relative() && taken.insert(place).second)
        others.push_back({data.file, place});
    }
  }
  return others;
}

Result<Task> read_problem(const ProblemFiles& files) {
  KP_TRY(Definition definition, read_definition(files.definition));
  // Problems of SOL-ExecBench carry the reference as a file, too.
  const bool sol = is_file(files.definition.parent_path() / "reference.py");
  if (definition.publisher == Publisher::kNone) {
    if (files.single) definition.publisher = Publisher::kFlashInfer;
    if (!files.single && sol) definition.publisher = Publisher::kSol;
  }
  definition.roots = files.roots;
  add_usual_values(definition);
  Task task;
  KP_TRY(task.workloads, read_workloads(definition, files.workloads));
  KP_TRY_VOID(make_custom_inputs(definition, task.workloads));
  task.name = definition.name;
  task.path = files.path;
  task.description = definition.description;
  task.reference = definition.reference;
  task.declaration = definition.declaration;
  KP_TRY_VOID(read_baseline(task, files.baseline));
  std::vector<Step> oracle_steps;
  if (task.baseline) {
    KP_TRY(Candidate baseline, make_candidate(task, *task.baseline, task.baseline_path.string()));
    oracle_steps = std::move(baseline.plan.oracle);
  }
  KP_TRY(task.oracle, find_oracle(definition, files, oracle_steps));
  if (task.oracle.kind == Oracle::Kind::kTorch)
    KP_TRY_VOID(set_python_sizes(task.declaration, task.workloads));
  task.files = other_files(task, files);
  return task;
}

}  // namespace

Result<Task> read_directory(const Path& folder) {
  KP_TRY(const ProblemFiles files, files_in(folder));
  return read_problem(files);
}

Result<Task> read_definition_file(const Path& file) {
  KP_TRY(const ProblemFiles files, files_of(file));
  return read_problem(files);
}

}  // namespace kp::task

// SPDX-License-Identifier: Apache-2.0
#include "task/survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>

#include "task/python_problem.h"

namespace kp::task {
namespace {

using Clock = std::chrono::steady_clock;

/// "level1/9_Tall.py" before "level1/25_Swish.py".
std::pair<std::string, long> order_of(const Path& file) {
  const std::string name = file.filename().string();
  long number = 0;
  std::from_chars(name.data(), name.data() + name.size(), number);
  return {file.parent_path().string(), number};
}

int count_role(const Task& task, TensorRole role) {
  return static_cast<int>(std::count_if(task.declaration.tensors.begin(),
                                        task.declaration.tensors.end(),
                                        [&](const Tensor& tensor) { return tensor.role == role; }));
}

void describe(const Task& task, Surveyed& found) {
  found.inputs = count_role(task, TensorRole::kInput);
  found.weights = count_role(task, TensorRole::kWeight);
  found.outputs = count_role(task, TensorRole::kOutput);
  found.baseline = task.baseline.has_value();
  found.gpu_only = fitted(task, false).with_role(WorkloadRole::kCheck).empty();
  const Workload& timed = *task.with_role(WorkloadRole::kTime).front();
  if (const auto bytes = compulsory_bytes(task.declaration, timed.axes)) found.bytes = *bytes;
  if (const auto flops = declared_flops(task.declaration, timed)) found.flops = *flops;
}

/// Also of problems that are refused: what they cost in PyTorch is known all the same.
Result<void> time_modes(torch::Worker& worker, const SurveyRequest& request, Surveyed& found) {
  auto problem = worker.load(found.file);
  if (!problem) return {};  // the reason is there already
  auto timed = worker.time({.problem = problem->number,
                            .constants = problem->constants,
                            .modes = request.modes,
                            .seed = request.seed,
                            .runs = request.runs});
  if (!timed && timed.error().code == ErrorCode::kUnavailable)
    return tl::unexpected<Error>(timed.error());
  for (const std::string& mode : request.modes) {
    if (!timed) {
      found.no_timings[mode] = timed.error().message;
      continue;
    }
    if (const auto median = timed->median(mode)) found.nanoseconds[mode] = *median;
  }
  if (timed) found.no_timings.merge(timed->failures);
  return {};
}

}  // namespace

std::string_view name_of(Standing standing) {
  switch (standing) {
    case Standing::kUsable:
      return "usable";
    case Standing::kQuarantined:
      return "quarantined";
    case Standing::kRefused:
      return "refused";
  }
  return "refused";
}

Result<std::vector<Path>> python_problems(const std::vector<Path>& paths) {
  std::vector<Path> found;
  for (const Path& path : paths) {
    std::error_code code;
    if (std::filesystem::is_regular_file(path, code)) {
      found.push_back(path);
      continue;
    }
    const std::filesystem::recursive_directory_iterator all(path, code);
    if (code) {
      return fail(ErrorCode::kNotFound,
                  fmt::format("{} cannot be read: {}", path.string(), code.message()),
                  "give Python files, or folders that hold them");
    }
    for (const auto& entry : all) {
      if (entry.is_regular_file(code) && entry.path().extension() == ".py")
        found.push_back(entry.path());
    }
  }
  std::sort(found.begin(), found.end(),
            [](const Path& a, const Path& b) { return order_of(a) < order_of(b); });
  return found;
}

Result<Surveyed> survey(torch::Worker& worker, const QuarantineList& list, const Path& file,
                        const SurveyRequest& request) {
  const auto start = Clock::now();
  Surveyed found{.file = file};
  const auto task = read_python_problem(worker, file);
  if (task) {
    found.standing = Standing::kUsable;
    describe(*task, found);
  } else if (task.error().code == ErrorCode::kUnavailable) {
    return tl::unexpected<Error>(task.error());
  } else {
    found.reason = task.error().message;
  }
  const auto fault = list.find(file);
  if (task && fault && fault->excluded()) {
    found.standing = Standing::kQuarantined;
    found.reason = fault->reason();
  }
  if (!request.modes.empty()) KP_TRY_VOID(time_modes(worker, request, found));
  found.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return found;
}

}  // namespace kp::task

// SPDX-License-Identifier: Apache-2.0
#include "suite/yardsticks.h"

#include <fmt/format.h>

#include <algorithm>

#include "stats/stats.h"
#include "task/timed_problem.h"

namespace kp::suite {
namespace {

constexpr std::uint64_t kSeed = 1;  // of PyTorch's inputs; its times do not depend on their values

/// Operators of cuDNN that PyTorch runs in tf32 unless torch.backends.cudnn.allow_tf32 is cleared.
constexpr const char* kTf32Operators[] = {"Conv",           "conv1d", "conv2d", "conv3d",
                                          "conv_transpose", "LSTM",   "GRU",    "nn.RNN"};

/// Of one mode, by workload.
using Medians = std::map<std::string, std::vector<double>>;

/// Arithmetic in which PyTorch is timed, and what a time in it is called.
struct Arithmetic {
  std::string precision;  // of torch::Timing
  std::string suffix;     // of the names of modes
  std::string label;
};

/// By its defaults; and once more where those are coarser than the task's class, since they are no
/// rival of what is in it.
std::vector<Arithmetic> arithmetics(const Task& task) {
  const std::string usual = torch_precision(task);
  const std::string declared(name_of(task.declaration.precision));
  std::vector<Arithmetic> all{{"", "", usual}};
  if (usual != declared) all.push_back({declared, " in " + declared, declared});
  return all;
}

/// "FILE.py:FUNCTION" without its folders; any other mode as it is.
std::string brief(const std::string& mode) { return Path(mode).filename().string(); }

/// A workload as the worker has it.
struct LoadedProblem {
  int number = 0;
  torch::Constants constants;
};

using Modes = std::vector<std::string>;

/// What each is timed by, and in which arithmetic.
struct Series {
  const Modes& modes;
  Arithmetic arithmetic;
};

Result<void> time_workload(torch::Worker& worker, const LoadedProblem& problem,
                           const Series& series, Medians& medians, TimedByTorch& timed) {
  KP_TRY(const auto times, worker.time({.problem = problem.number,
                                        .constants = problem.constants,
                                        .modes = series.modes,
                                        .seed = kSeed,
                                        .precision = series.arithmetic.precision}));
  for (const std::string& mode : series.modes) {
    if (const auto median = times.median(mode)) medians[mode].push_back(*median);
  }
  for (const auto& [mode, why] : times.failures) {
    timed.remarks.push_back(
        fmt::format("PyTorch, {}{}: {}", brief(mode), series.arithmetic.suffix, why));
  }
  return {};
}

Result<void> time_in(torch::Worker& worker, const std::vector<LoadedProblem>& problems,
                     const Series& series, TimedByTorch& timed) {
  Medians medians;
  for (const LoadedProblem& problem : problems)
    KP_TRY_VOID(time_workload(worker, problem, series, medians, timed));
  for (const std::string& mode : series.modes) {
    const auto& times = medians[mode];
    if (times.empty() || times.size() != problems.size()) continue;
    const double mean = stats::geometric_mean(times);
    if (!(mean > 0)) continue;
    timed.yardsticks.push_back(
        {brief(mode) + series.arithmetic.suffix, series.arithmetic.label, Grade::kMeasured, mean});
  }
  return {};
}

Result<void> time_all(torch::Worker& worker, const Task& task, const Modes& modes,
                      TimedByTorch& timed) {
  std::vector<LoadedProblem> problems;
  for (const Workload* workload : task.with_role(WorkloadRole::kTime)) {
    KP_TRY(const task::TimedProblem problem, task::timed_problem(task, *workload));
    KP_TRY(const torch::Problem loaded, worker.load(problem.file));
    problems.push_back({loaded.number, problem.constants});
  }
  for (const Arithmetic& arithmetic : arithmetics(task))
    KP_TRY_VOID(time_in(worker, problems, {modes, arithmetic}, timed));
  return {};
}

}  // namespace

bool torch_can_time(const Task& task, const device::Description& device) {
  return task::has_python(task) && device.timing == Grade::kMeasured;
}

TimedByTorch time_by_torch(torch::Worker& worker, const Task& task,
                           const std::vector<std::string>& functions) {
  TimedByTorch timed;
  Modes modes(kTorchModes.begin(), kTorchModes.end());
  modes.insert(modes.end(), functions.begin(), functions.end());
  // PyTorch is timed on a GPU only, where candidates run at these sizes.
  if (const auto done = time_all(worker, fitted(task, true), modes, timed); !done) {
    timed.yardsticks.clear();
    timed.remarks.push_back("PyTorch was not timed: " + done.error().message);
  }
  return timed;
}

TimedByTorch time_by_torch(const Task& task, const std::vector<std::string>& functions,
                           const device::Description& device, const StopFlag& stop) {
  const auto worker = torch::Worker::start({"", device.name, &stop});
  if (worker) return time_by_torch(**worker, task, functions);
  return {{}, {"PyTorch was not timed: " + worker.error().message}};
}

std::string torch_precision(const Task& task) {
  const auto declared = std::string(name_of(task.declaration.precision));
  if (task.declaration.precision != Precision::kF32) return declared;
  const auto used = [&](const char* name) {
    return task.reference.find(name) != std::string::npos;
  };
  return std::any_of(std::begin(kTf32Operators), std::end(kTf32Operators), used) ? "tf32"
                                                                                 : declared;
}

}  // namespace kp::suite

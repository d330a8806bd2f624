// SPDX-License-Identifier: Apache-2.0
// What a collection of Python problems holds: which can be used, which are known to be passable
// without their work, which are refused, and how long PyTorch takes for each.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "task/quarantine.h"
#include "torch/worker.h"

namespace kp::task {

enum class Standing { kUsable, kQuarantined, kRefused };
std::string_view name_of(Standing standing);

struct Surveyed {
  Path file;
  Standing standing = Standing::kRefused;
  std::string reason;  // of a quarantine or a refusal
  int inputs = 0, weights = 0, outputs = 0;
  std::optional<double> bytes, flops;             // at its own size
  bool baseline = false;                          // whether a plan is there to start from
  bool gpu_only = false;                          // whether a virtual GPU is too slow to check it
  std::map<std::string, double> nanoseconds;      // median of PyTorch's runs, by mode
  std::map<std::string, std::string> no_timings;  // why a mode has none
  double seconds = 0;                             // that the survey took for it
};

struct SurveyRequest {
  std::vector<std::string> modes;  // of torch::Timing; empty: no timings
  std::uint64_t seed = 1;
  int runs = 30;
};

/// The Python files in `paths`, folders with all they hold, in the order of their numbers.
Result<std::vector<Path>> python_problems(const std::vector<Path>& paths);

/// Errors only where the worker is lost for good; a problem that fails is refused.
Result<Surveyed> survey(torch::Worker& worker, const QuarantineList& list, const Path& file,
                        const SurveyRequest& request);

}  // namespace kp::task

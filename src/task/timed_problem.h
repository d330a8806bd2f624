// SPDX-License-Identifier: Apache-2.0
// A workload as PyTorch itself would run it, for its times: with the sizes of the workload, and
// with inputs as they are distributed there.
#pragma once
#include "model/task.h"

namespace kp::task {

struct TimedProblem {
  Path file;  // torch::Worker::load() takes it
  std::map<std::string, std::int64_t> constants;
};

/// Whether the task says in PyTorch what it computes.
bool has_python(const Task& task);

/// kUnsupported: it does not, or an input comes from a file or has a form that no distribution
/// gives.
Result<TimedProblem> timed_problem(const Task& task, const Workload& workload);

}  // namespace kp::task

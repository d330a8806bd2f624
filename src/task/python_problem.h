// SPDX-License-Identifier: Apache-2.0
// A problem written in Python (KernelBench's form) as a task. Used by read_task.cc.
#pragma once
#include "model/task.h"
#include "torch/worker.h"

namespace kp::task {

/// What `worker` says of the problem at `path`, as a task whose expected values it computes:
/// dimensions become axes, what the model holds becomes weights, and there are a screened workload
/// (zero-mean inputs, no constant weights), which counts, and one with the author's own inputs
/// beside it. docs/kernelbench.md has the rules. The baseline is NAME.cu beside the file, else the
/// one that is shipped for it, else there is none.
/// Errors: kInvalidInput with the reason (random outputs, types that no kernel here takes),
/// whatever the worker says.
Result<Task> read_python_problem(torch::Worker& worker, const Path& path);

}  // namespace kp::task

// SPDX-License-Identifier: Apache-2.0
// From a node of a run to what is exported of it.
#pragma once
#include "package/delivery.h"
#include "report/run_view.h"

namespace kp::package {

/// Node `node` of `run` as the optimised version, the task's baseline as the original. `name`
/// empty: the task's. Lacks the architecture, the evidence, and cases that the guard refuses.
/// Errors: the node was not found right, it is the baseline, the task has none.
Result<Delivery> collect(const report::RunView& run, int node, Task task, const std::string& name);

}  // namespace kp::package

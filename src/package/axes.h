// SPDX-License-Identifier: Apache-2.0
// Which axes a caller chooses, and which follow.
#pragma once
#include <vector>

#include "model/task.h"
#include "task/definition.h"

namespace kp::package {

/// All axes of a task: chosen by the caller (kVar), constant, or computed; in order of declaration,
/// but each after those that it is computed from. Errors: the task's files cannot be read any more.
Result<std::vector<task::AxisSpec>> axes_of(const Task& task);

/// Values of constant and computed axes for those that are chosen.
Result<Bindings> completed(const std::vector<task::AxisSpec>& axes, Bindings chosen);

}  // namespace kp::package

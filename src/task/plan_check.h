// SPDX-License-Identifier: Apache-2.0
// Whether a plan fits the task it is for. Used by candidate.cc.
#pragma once
#include "model/task.h"

namespace kp::task {

/// Names: nothing declared twice, everything used is known, arguments are in reach of their step,
/// every output is passed to a launch. Arguments that name an axis or a tune parameter become
/// expressions.
Result<void> check_plan_names(const Declaration& declaration, Plan& plan);

/// Sizes under one workload and tune choice: launches, buffers, tensor maps, argument values.
Result<void> check_plan_sizes(const Declaration& declaration, const Plan& plan,
                              const Bindings& bindings);

}  // namespace kp::task

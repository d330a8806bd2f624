// SPDX-License-Identifier: Apache-2.0
// What is known of an exported operator, as lines of a comment.
#pragma once
#include <string>
#include <vector>

#include "package/delivery.h"
#include "report/run_view.h"

namespace kp::package {

/// What was tried while exporting; sentences. What was not done says so.
struct Trial {
  std::string values;    // optimised and original against the task's reference
  std::string compiled;  // by nvcc
  std::string test;      // the regression test on a GPU
};

/// Node, task, device, speed-up with its grade and interval, errors, shapes, and the trial.
std::vector<std::string> evidence_of(const report::RunView& run, int node, const Delivery& delivery,
                                     const Trial& trial);

}  // namespace kp::package

// SPDX-License-Identifier: Apache-2.0
// What is known against a task before anything is judged on it. The screen itself runs where
// somebody asks for it; its last word is kept.
#pragma once
#include <vector>

#include "harness/screen.h"
#include "model/evaluation.h"

namespace kp::loop {

/// Keeps the verdict for the task as it is now: another declaration, workload or reference makes it
/// another task; a baseline does not.
Result<void> remember_screening(const harness::Screening& screening, const Task& task,
                                const Path& cache);

/// Labels for every result on this task: "benchmark-degenerate" when it is listed or the last
/// screening found it so, "algebraic" when the list says that the function needs less work.
Result<std::vector<Label>> doubts_about(const Task& task, const Path& cache);

}  // namespace kp::loop

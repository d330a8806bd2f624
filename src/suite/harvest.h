// SPDX-License-Identifier: Apache-2.0
// From a run that has ended to what the suite keeps of it.
#pragma once
#include <utility>
#include <vector>

#include "model/task.h"
#include "report/run_view.h"
#include "suite/records.h"

namespace kp::suite {

/// What the suite knows of a run beside what stands in its folder.
struct EndedRun {
  RunKey key;
  Path suite_folder, run_folder;
  std::vector<std::pair<int, double>> moments;  // node, seconds of work
  std::optional<double> seconds;                // of work in all
};

/// Whether the run in `folder` came to its end; false when it is not there.
Result<bool> has_ended(const Path& folder);

/// Errors: those of reading the run.
Result<RunResult> harvest(const EndedRun& context, const Task& task);

}  // namespace kp::suite

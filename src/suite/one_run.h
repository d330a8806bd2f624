// SPDX-License-Identifier: Apache-2.0
// One run of a suite, begun or gone on with.
#pragma once
#include <functional>
#include <variant>

#include "loop/undertaking.h"
#include "suite/harvest.h"
#include "suite/suite.h"
#include "suite/yardsticks.h"

namespace kp::suite {

struct RunOrder {
  const Arm& arm;
  WantedRun run;
  Path suite_folder;
  double seconds_before = 0;  // of work that earlier processes did
};

/// A node was judged so many seconds of work after the beginning of the run. An error ends the run.
using OnJudged = std::function<Result<void>(const store::NodeRecord&, double seconds)>;

/// What else was timed for a task, once for each.
using TorchTimes = std::function<TimedByTorch(const Task&)>;
struct RunHooks {
  OnJudged judged;
  TorchTimes torch;
};

struct Stopped {};  // by the flag; goes on another time
using RunOutcome = std::variant<RunResult, Stopped>;

/// The task as the run begins with it.
Result<Task> read_task(const WantedRun& run);

/// `DIR/runs/ARM/TASK/seed-N`.
Path folder_of(const Path& suite_folder, const RunKey& key);

/// Drives the run to its end, as `optimize` does. A task that cannot be used, or that can be passed
/// without its work, is a result in quarantine; errors are the world's. Times of PyTorch are
/// `torch`'s, asked for before the run begins.
Result<RunOutcome> drive(const RunOrder& order, const loop::Bench& bench, const RunHooks& hooks,
                         const StopFlag& stop);

}  // namespace kp::suite

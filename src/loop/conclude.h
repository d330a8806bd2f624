// SPDX-License-Identifier: Apache-2.0
// The end of a run: what was found fast at quick depth is judged again at full depth, and only what
// passes is the result.
#pragma once
#include <optional>

#include "base/file.h"
#include "loop/judge.h"
#include "loop/live_run.h"
#include "loop/watcher.h"
#include "search/stop_rules.h"

namespace kp::loop {

/// What a run came to.
struct Ending {
  search::StopReason reason;
  int evaluations = 0;
  int best = -1;                 // node; -1: nothing correct was found
  double speedup = 0;            // of best over the baseline, both at final depth
  std::optional<Speedup> ratio;  // the same with its interval, where it was measured
  Grade grade = Grade::kModelled;
  double baseline_ns = 0, best_ns = 0;
  Path best_file;  // best.cu; empty when there is no best
};

/// Judges the best at full depth, writes best.cu, records the ending. `watcher` may be null.
Result<Ending> conclude(LiveRun& run, Judge& judge, Watcher* watcher, search::StopReason reason);
/// Ends without that: best.cu is the best at quick depth.
Result<Ending> break_off(LiveRun& run);

}  // namespace kp::loop

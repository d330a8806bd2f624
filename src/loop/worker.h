// SPDX-License-Identifier: Apache-2.0
// Judges what is pending in a run, beside other processes that ask, tell and judge.
#pragma once
#include <optional>
#include <utility>

#include "base/stop.h"
#include "loop/judge.h"
#include "loop/live_run.h"
#include "loop/watcher.h"
#include "store/claim.h"

namespace kp::loop {

class Worker {
 public:
  /// All must outlive the worker; `watcher` may be null.
  Worker(LiveRun& run, Judge& judge, Watcher* watcher)
      : run_(run), judge_(judge), watcher_(watcher) {}
  /// Judges one proposal that nobody else is at, the baseline before all others; nothing when there
  /// is none. kInvalidInput when the baseline does not work.
  Result<std::optional<store::NodeRecord>> step();

 private:
  using Claimed = std::pair<int, store::Claim>;
  Result<std::optional<Claimed>> claim();
  LiveRun& run_;
  Judge& judge_;
  Watcher* watcher_;
};

}  // namespace kp::loop

// SPDX-License-Identifier: Apache-2.0
// From a proposal that is pending to a node: what a session and a worker have in common.
#pragma once
#include "loop/judge.h"
#include "loop/live_run.h"
#include "loop/watcher.h"

namespace kp::loop {

/// When the metrics beyond the few of a first profile are taken.
enum class FullProfiles {
  kWhenImproved,  // when the node is to be improved: whoever asks has the device at hand
  kAtOnce,        // with the verdict: whoever asks may not have it
};

/// Judges the proposal and enters it. `watcher` may be null.
Result<store::NodeRecord> judge_proposal(LiveRun& run, Judge& judge, Watcher* watcher, int proposal,
                                         FullProfiles when);
/// kInvalidInput when the root of a run is a baseline that does not work.
Result<void> check_baseline(const store::NodeRecord& root);
/// Learns all metrics of a measured node, when there are more than it came with.
Result<void> look_into(LiveRun& run, Judge& judge, int node);

}  // namespace kp::loop

// SPDX-License-Identifier: Apache-2.0
// What a run remembers, and what it is told of other runs' experiences.
#pragma once
#include "loop/briefing.h"
#include "store/shared_memory.h"

namespace kp::loop {

/// Recalls from the run, and from the memory that it shares as its settings say. Keeps what it has
/// read: for one run, from one thread. Nothing is recalled where the proposer is not to be told.
Recall remembering();

/// The memory that the run shares; nothing when it keeps to itself.
Result<std::optional<store::SharedMemory>> shared_memory(const Settings& settings);
/// Adds the experiences of the nodes after `after` to the memory that the run shares; what is there
/// already stays as it is.
Result<void> pass_on(LiveRun& run, int after);

}  // namespace kp::loop

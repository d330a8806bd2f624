// SPDX-License-Identifier: Apache-2.0
// A run folder: made without a proposer, and opened again with all that it was started with.
#pragma once
#include <optional>

#include "base/file.h"
#include "loop/live_run.h"
#include "loop/settings.h"
#include "model/task.h"
#include "store/run_store.h"

namespace kp::loop {

/// Meta of a run that nobody drives yet.
inline constexpr const char* kByHand = "by hand";

struct StoredRun {
  store::RunStore store;
  Settings settings;
  Task task;
};
/// To add to beside others, and to drive alone; kBusy says who is in the way.
Result<StoredRun> open_shared(const Path& folder);
Result<StoredRun> open_alone(const Path& folder);

/// A new run of the task at `from`, which is copied into the run so that the folder can be carried
/// to another machine; its first candidate is pending. `settings.task` is set to the copy.
Result<void> found_run(const Path& from, Settings settings, const Path& folder);

/// `runs`/NAME, `runs`/NAME-2, ...: the first that is not there yet.
Path free_folder(const Path& runs, const std::string& name);

/// The device that the run was or will be judged on, as open_device knows it; empty: not decided.
std::string device_of(const store::Meta& meta);
/// What is known of that device; absent before anything was judged on hardware.
Result<std::optional<DeviceSpec>> spec_of(const store::Meta& meta);
/// What a run keeps of the device that it is judged on.
store::Meta device_meta(const device::Description& device);

}  // namespace kp::loop

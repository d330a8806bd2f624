// SPDX-License-Identifier: Apache-2.0
// What judging needs: a device, a compiler, a harness for the task.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/stop.h"
#include "build/build.h"
#include "device/device.h"
#include "harness/harness.h"
#include "loop/stored_run.h"
#include "model/task.h"

namespace kp::loop {

/// What serves any task; may be shared by several workshops of one thread.
struct Bench {
  std::shared_ptr<device::Device> device;
  std::shared_ptr<build::Builder> builder;
};

struct Workshop {
  std::shared_ptr<device::Device> device;
  std::shared_ptr<build::Builder> builder;
  std::unique_ptr<harness::Harness> harness;
  const Task& task() const { return harness->task(); }
};

/// `device` as open_device understands it. `stop` must outlive the bench. `code_roots`: whose
/// headers candidates of level cute and cutlass include, beside $KERNELPRO_CUTLASS.
Result<Bench> open_bench(const std::string& device, const StopFlag& stop,
                         std::vector<Path> code_roots = {});
Result<Workshop> open_workshop(Task task, const Bench& bench,
                               const harness::HarnessOptions& options);
/// Both of these.
Result<Workshop> open_workshop(Task task, const std::string& device,
                               const harness::HarnessOptions& options, const StopFlag& stop,
                               std::vector<Path> code_roots = {});

/// On `device`, else on what the run was started with.
Result<Bench> open_bench(StoredRun& stored, const std::string& device, const StopFlag& stop);

/// For a run that is there already; takes the task out of `stored`. The first who judges decides
/// the device, and the run keeps what it is. kInvalidInput when the bench has another one.
Result<Workshop> open_workshop(StoredRun& stored, const Bench& bench);
/// The same on `device`, else on what the run was started with.
Result<Workshop> open_workshop(StoredRun& stored, const std::string& device, const StopFlag& stop);

/// How a run with these settings is judged on `device`. kUnsupported: its arm tells what Nsight
/// Compute says, and the device is virtual.
Result<harness::HarnessOptions> harness_options(const Settings& settings, device::Device& device);

/// What a reader of report.md needs to make a run again: program, compiler, device, host, date and
/// command, under the keys of docs/store.md. `task` as the user wrote it.
store::Meta environment(const Workshop& shop, const Settings& settings, const std::string& task);

}  // namespace kp::loop

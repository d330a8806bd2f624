// SPDX-License-Identifier: Apache-2.0
// What most commands need before they can begin: a task, a device, a compiler, a harness.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/stop.h"
#include "build/build.h"
#include "device/device.h"
#include "harness/harness.h"
#include "model/task.h"

namespace kp::cli {

struct Workshop {
  std::unique_ptr<device::Device> device;
  std::unique_ptr<build::Builder> builder;
  std::unique_ptr<harness::Harness> harness;
  const Task& task() const { return harness->task(); }
};

/// `device` as open_device understands it. `stop` must outlive the workshop. `code_roots`: whose
/// headers candidates of level cute and cutlass include, beside $KERNELPRO_CUTLASS.
Result<Workshop> open_workshop(Task task, const std::string& device,
                               const harness::HarnessOptions& options, const StopFlag& stop,
                               std::vector<Path> code_roots = {});

/// Set by Ctrl-C and SIGTERM once this was called; a second signal ends the program at once.
const StopFlag& stop_on_signals();
/// Whether such a signal came.
bool interrupted();

}  // namespace kp::cli

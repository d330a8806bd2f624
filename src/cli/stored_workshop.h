// SPDX-License-Identifier: Apache-2.0
// The workshop for a run that is there already.
#pragma once
#include <string>

#include "cli/workshop.h"
#include "loop/stored_run.h"

namespace kp::cli {

/// On the device that the run is judged on; the first who judges decides it (`device`, else what
/// the run was started with), and the run keeps what it is. Takes the task out of `stored`.
/// kInvalidInput when `device` is another one.
Result<Workshop> open_workshop(loop::StoredRun& stored, const std::string& device,
                               const StopFlag& stop);

}  // namespace kp::cli

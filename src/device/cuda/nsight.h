// SPDX-License-Identifier: Apache-2.0
// The steps of a candidate once more, under Nsight Compute.
#pragma once
#include <string>

#include "device/cuda/replay_file.h"
#include "device/cuda/worker.h"

namespace kp::device::cuda {

/// Page "details" in CSV, of all launches, or what ncu wrote in its place: who reads the page knows
/// its messages. kUnavailable: ncu is absent or wrote nothing; kTimeout.
Result<std::string> nsight_details(const WorkerSpec& worker, const Replay& replay,
                                   double deadline_seconds);

}  // namespace kp::device::cuda

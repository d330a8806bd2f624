// SPDX-License-Identifier: Apache-2.0
// The facts of a prompt that do not change during a run.
#pragma once
#include <string>

#include "model/device_spec.h"
#include "model/task.h"

namespace kp::propose {

/// What is to be computed: description, arrays, shapes, workloads, how exact.
std::string task_text(const Task& task);
/// The definition's PyTorch text, or else the host reference when it is short; may be empty.
/// Errors: the file of the reference cannot be read.
Result<std::string> reference_text(const Task& task);
/// What the device has, with units.
std::string hardware_text(const DeviceSpec& spec);

}  // namespace kp::propose

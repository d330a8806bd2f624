// SPDX-License-Identifier: Apache-2.0
// The adapters behind read_task, one for each form of task.
#pragma once
#include "model/task.h"

namespace kp::task {

Result<Task> read_single_file(const Path& path);
Result<Task> read_directory(const Path& folder);
Result<Task> read_definition_file(const Path& file);

}  // namespace kp::task

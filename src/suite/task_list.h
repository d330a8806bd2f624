// SPDX-License-Identifier: Apache-2.0
// The tasks of a suite from patterns and folders.
#pragma once
#include <string>
#include <vector>

#include "suite/suite.h"

namespace kp::suite {

/// Whether a task may be read there: a folder with a definition, or a file of a form that declares
/// a task (.cu, .py) and is nobody's reference.
bool may_be_task(const Path& path);

/// The tasks in `folder`, by name. kNotFound when there are none.
Result<std::vector<Path>> tasks_in(const Path& folder);

/// What `pattern` stands for below `base`: one task, the tasks of a folder, or all that a pattern
/// fits, sorted. kNotFound when that is nothing.
Result<std::vector<Path>> find_tasks(const Path& base, const std::string& pattern);

/// With names that differ; a task that is named twice is taken once.
std::vector<TaskEntry> entries(const std::vector<Path>& paths);

}  // namespace kp::suite

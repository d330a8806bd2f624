// SPDX-License-Identifier: Apache-2.0
// `tasks` of a suite file: patterns, and tables of what the suite has of its own for one task.
#pragma once
#include <toml++/toml.h>

#include <string>
#include <vector>

#include "suite/suite.h"

namespace kp::suite {

/// The list, or the one text, that stands at `key` of `file`.
Result<std::vector<std::string>> texts_of(const toml::node& node, const char* key,
                                          const Path& file);

/// Of the suite file `file`, from whose folder patterns and files are looked for. Errors name the
/// place.
Result<std::vector<TaskEntry>> read_tasks(const toml::table& root, const Path& file);

}  // namespace kp::suite

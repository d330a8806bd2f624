// SPDX-License-Identifier: Apache-2.0
// The tables `[run]` and `[[arm]]` of a suite file; for read_suite.cc.
#pragma once
#include <toml++/toml.h>

#include <string>

#include "base/file.h"
#include "loop/settings.h"

namespace kp::suite {

/// An error at `node` in `file`.
tl::unexpected<Error> wrong_at(const toml::node& node, const Path& file, std::string message,
                               std::string hint = {});

/// Says what `table` says in place of what `settings` said. Paths count from the file's folder.
/// `key_of_reader` is no setting and passed over.
Result<void> apply(const toml::table& table, const Path& file, std::string_view key_of_reader,
                   loop::Settings& settings);

}  // namespace kp::suite

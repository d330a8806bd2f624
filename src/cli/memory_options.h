// SPDX-License-Identifier: Apache-2.0
// --memory: whose experiences a proposer is told of.
#pragma once
#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "loop/settings.h"

namespace kp::cli {

struct MemoryOptions {
  std::optional<loop::MemoryScope> scope;  // absent: not said
};
void add_memory_option(CLI::App& command, MemoryOptions& options);
/// The file of the memory that is shared: $KERNELPRO_MEMORY, else in the cache folder.
Path memory_file();
/// What the command line says, else what $KERNELPRO_MEMORY implies, else what `settings` say.
void choose_memory(const MemoryOptions& options, loop::Settings& settings);
/// kInvalidInput when the run is recorded and shares: a recording does not hold what others
/// learned.
Result<void> check_memory(const loop::Settings& settings);

}  // namespace kp::cli

// SPDX-License-Identifier: Apache-2.0
#include "cli/memory_options.h"

#include <cstdlib>
#include <map>

#include "store/shared_memory.h"

namespace kp::cli {
namespace {

std::string wanted_file() {
  const char* file = std::getenv("KERNELPRO_MEMORY");
  return file ? file : "";
}

}  // namespace

void add_memory_option(CLI::App& command, MemoryOptions& options) {
  std::map<std::string, loop::MemoryScope> scopes;
  for (const auto scope : loop::kMemoryScopes) scopes.emplace(loop::name_of(scope), scope);
  command
      .add_option("--memory", options.scope,
                  "own: what was tried in this run; shared: and in others that share; held-out: "
                  "and in those of other tasks")
      ->transform(CLI::CheckedTransformer(scopes));
}

Path memory_file() {
  const std::string file = wanted_file();
  std::error_code error;
  return file.empty() ? store::default_memory() : std::filesystem::absolute(file, error);
}

void choose_memory(const MemoryOptions& options, loop::Settings& settings) {
  if (options.scope) {
    settings.memory = *options.scope;
  } else if (settings.memory == loop::MemoryScope::kOwn && !wanted_file().empty()) {
    settings.memory = loop::MemoryScope::kShared;
  } else {
    return;
  }
  const bool shares = settings.memory != loop::MemoryScope::kOwn;
  settings.memory_file = shares ? memory_file() : Path();
}

Result<void> check_memory(const loop::Settings& settings) {
  if (settings.proposer_options.record.empty()) return {};
  if (settings.memory == loop::MemoryScope::kOwn) return {};
  return fail(ErrorCode::kInvalidInput,
              "a recording does not hold what other runs have learned, and could not be replayed",
              "record with `--memory own`, or share without --record");
}

}  // namespace kp::cli

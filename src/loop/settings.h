// SPDX-License-Identifier: Apache-2.0
// What a run is started with; kept in the store, so that resume needs nothing but the folder.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/task.h"
#include "propose/options.h"
#include "search/stop_rules.h"
#include "store/run_store.h"

namespace kp::loop {

/// Whose experiences a proposer is told of, beside those of its own run.
enum class MemoryScope {
  kOwn,      // nobody's; the run's are not passed on either
  kShared,   // of all runs that share the memory
  kHeldOut,  // of those, but for runs of the same task
};
inline constexpr std::array kMemoryScopes{MemoryScope::kOwn, MemoryScope::kShared,
                                          MemoryScope::kHeldOut};
std::string_view name_of(MemoryScope scope);

struct Settings {
  std::string task;    // path, absolute or from the run folder
  Path from;           // plan that the run begins with instead of the task's baseline; may be empty
  std::string device;  // as open_device understands it; empty: not decided
  std::string proposer = "rewriter";
  std::string search = "mcts";
  std::uint64_t seed = 1;
  int candidates_per_ask = 1;
  search::StopOptions stop;
  propose::ProposerOptions proposer_options;
  MemoryScope memory = MemoryScope::kOwn;
  Path memory_file;         // that is shared; empty: the one in the cache folder
  store::Meta environment;  // for readers of the report: stored, never read back
};

/// Settings, identity of the task, and the environment; kIo when the reference cannot be read.
Result<store::Meta> to_meta(const Settings& settings, const Task& task);
/// kCorrupt when a value is missing or malformed.
Result<Settings> settings_from(const store::Meta& meta);

/// Content address of all that defines the task: declaration, workloads, baseline, both references.
Result<std::string> digest_of(const Task& task);
/// kInvalidInput when `task` is not the one that the run was started with.
Result<void> check_same_task(const store::Meta& meta, const Task& task);

}  // namespace kp::loop

// SPDX-License-Identifier: Apache-2.0
#include "report/memory.h"

#include <fmt/format.h>

#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/memory_options.h"
#include "store/run_store.h"
#include "store/shared_memory.h"

namespace kp::cli {
namespace {

struct MemoryListOptions {
  std::string run;
  bool shared = false, json = false, forget = false;
};

/// Nothing when no run has shared anything yet: looking makes no file.
Result<std::optional<store::SharedMemory>> shared_memory() {
  if (!std::filesystem::exists(memory_file())) return std::optional<store::SharedMemory>{};
  KP_TRY(auto memory, store::SharedMemory::open(memory_file()));
  return std::optional(std::move(memory));
}

/// Those that are shared, but for the run's; then the run's.
Result<std::vector<Experience>> experiences_of(const MemoryListOptions& options) {
  std::vector<Experience> all, own;
  store::Without without;
  if (!options.run.empty()) {
    KP_TRY(auto run, store::RunStore::open(options.run, Sqlite::Access::kRead));
    KP_TRY(own, run.experiences());
    if (!own.empty()) without.run = own.front().run;
  }
  if (options.shared || options.run.empty()) {
    KP_TRY(auto memory, shared_memory());
    if (memory) {
      KP_TRY(all, memory->read(without));
    }
  }
  all.insert(all.end(), std::make_move_iterator(own.begin()), std::make_move_iterator(own.end()));
  return all;
}

/// The run itself keeps its history.
Result<std::int64_t> forget(const MemoryListOptions& options) {
  std::optional<std::string> which;
  if (!options.run.empty()) {
    KP_TRY(auto run, store::RunStore::open(options.run, Sqlite::Access::kRead));
    KP_TRY(const auto meta, run.meta());
    const auto id = meta.find("run_id");
    which = id == meta.end() ? "" : id->second;
  }
  KP_TRY(auto memory, shared_memory());
  return memory ? memory->forget(which) : Result<std::int64_t>(0);
}

Result<int> memory(const MemoryListOptions& options, Terminal& terminal) {
  if (options.forget) {
    KP_TRY(const std::int64_t count, forget(options));
    if (options.json) {
      terminal.print_json({{"memory", memory_file().string()}, {"forgotten", count}});
    } else {
      terminal.print(fmt::format("{} experiences forgotten", count));
    }
    return kDone;
  }
  KP_TRY(const auto experiences, experiences_of(options));
  const auto lines = report::tried_lines(experiences);
  if (options.json) {
    terminal.print_json(report::memory_json(lines));
  } else {
    terminal.print_verbatim(report::memory_text(lines));
  }
  return kDone;
}

}  // namespace

void add_memory(CLI::App& app, Run& run) {
  auto options = std::make_shared<MemoryListOptions>();
  CLI::App* command = app.add_subcommand(
      "memory", "What was tried for which finding, and what came of it: in a run, or in all");
  command->add_option("run", options->run,
                      "folder of a run; the memory that runs share when not given");
  command->add_flag("--shared", options->shared, "with a run: the shared memory too");
  command->add_flag("--json", options->json, "a JSON list on standard output");
  command->add_flag("--forget", options->forget,
                    "take what was shared out of the shared memory: all, or that of the run");
  command->footer(
      "Examples:\n"
      "  kernelpro memory runs/transpose\n"
      "  kernelpro memory --json\n"
      "  kernelpro memory --forget");
  command->callback([options, &run] {
    run = [options](Terminal& terminal) { return memory(*options, terminal); };
  });
}

}  // namespace kp::cli

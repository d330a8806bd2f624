// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/outcome.h"
#include "cli/progress.h"
#include "cli/workshop.h"
#include "loop/session.h"
#include "propose/proposer.h"
#include "task/task.h"

namespace kp::cli {
namespace {

struct Options {
  std::string run;
  int budget = 0;
  bool json = false;
};

Result<int> resume(const Options& options, Terminal& terminal) {
  const StopFlag& stop = stop_on_signals();
  KP_TRY(auto store, store::RunStore::open(options.run, Sqlite::Access::kWrite));
  KP_TRY(const auto meta, store.meta());
  KP_TRY(auto settings, loop::settings_from(meta));
  if (options.budget > 0) settings.stop.budget = options.budget;
  KP_TRY(auto task, task::read_task(settings.task));
  harness::HarnessOptions harness_options;
  harness_options.seed = settings.seed;
  KP_TRY(auto shop, open_workshop(std::move(task), settings.device, harness_options, stop,
                                  settings.proposer_options.code_roots));
  KP_TRY(auto proposer, propose::make_proposer(settings.proposer, settings.proposer_options));
  Progress progress(terminal, settings.stop.budget);
  KP_TRY(const auto history, store.history());
  for (const store::Record& record : history) {
    if (const auto* node = std::get_if<store::NodeRecord>(&record)) progress.recall(*node);
  }
  terminal.note(fmt::format("{} on {}, proposals by {}; the run is kept in {}", shop.task().name,
                            settings.device, settings.proposer, options.run));
  const loop::Rooms rooms{*shop.harness, *shop.device, *proposer, &progress};
  KP_TRY(auto session, loop::Session::resume(settings, rooms, std::move(store)));
  KP_TRY(const auto ending, session.run(stop));
  return report_ending(ending, options.run, options.json, terminal);
}

}  // namespace

void add_resume(CLI::App& app, Run& run) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("resume", "Go on with a run that was stopped or killed");
  command->add_option("run", options->run, "folder of the run")->required();
  command->add_option("--budget", options->budget, "a new budget of evaluations, all told")
      ->check(at_least(1));
  command->add_flag("--json", options->json, "end with one JSON object on standard output");
  command->footer("Example:\n  kernelpro resume runs/transpose --budget 120");
  command->callback([options, &run] {
    run = [options](Terminal& terminal) { return resume(*options, terminal); };
  });
}

}  // namespace kp::cli

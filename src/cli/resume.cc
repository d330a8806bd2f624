// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/memory_options.h"
#include "cli/outcome.h"
#include "cli/progress.h"
#include "cli/proposer_flags.h"
#include "cli/replay.h"
#include "cli/workshop.h"
#include "llm/catalog.h"
#include "loop/undertaking.h"

namespace kp::cli {
namespace {

struct ResumeOptions {
  std::string run;
  std::string proposer;
  propose::ProposerOptions proposer_options;
  MemoryOptions memory;
  int budget = 0;
  bool json = false;
};

/// Whoever made the folder chose where a request with the user's key would go.
Result<void> require_usual_server(const std::string& proposer, const std::string& run) {
  const auto url = llm::foreign_url(proposer);
  if (!url) return {};
  return fail(ErrorCode::kInvalidInput,
              fmt::format("the run {} asks a model at {}, which would get your key", run, *url),
              fmt::format("if you know that server, name it again: kernelpro resume {} --proposer "
                          "'{}', with the options of the model",
                          run, proposer));
}

/// The one that the run was started with, unless the command line names another.
Result<void> choose_proposer(const ResumeOptions& options, loop::Settings& settings) {
  if (!options.proposer.empty()) {
    settings.proposer = options.proposer;
    KP_TRY(settings.proposer_options, propose::resolved(options.proposer_options));
  } else {
    KP_TRY_VOID(require_usual_server(settings.proposer, options.run));
  }
  if (recording_of(settings.proposer)) {
    return fail(ErrorCode::kInvalidInput, "the run is a replay: it has nothing to go on with",
                "replay it again with `kernelpro optimize`, or give another --proposer");
  }
  if (settings.proposer != loop::kByHand) return {};
  return fail(ErrorCode::kInvalidInput, "the run was started without a proposer",
              "name one with --proposer, or drive it with ask, tell and work");
}

/// What the run was started with stays on record; what differs from here on is added to it.
Result<void> go_on_with_memory(const ResumeOptions& options, loop::StoredRun& stored) {
  const loop::MemoryScope before = stored.settings.memory;
  choose_memory(options.memory, stored.settings);
  KP_TRY_VOID(check_memory(stored.settings));
  if (stored.settings.memory == before) return {};
  KP_TRY(const auto tried, stored.store.experiences());
  const int node = tried.empty() ? 0 : tried.back().node;
  return stored.store.remember(
      {{fmt::format("memory_scope_after_{}", node), std::string(name_of(stored.settings.memory))}});
}

Result<int> resume(const ResumeOptions& options, Terminal& terminal) {
  const StopFlag& stop = stop_on_signals();
  KP_TRY(auto stored, loop::open_alone(options.run));
  loop::Settings& settings = stored.settings;
  if (options.budget > 0) settings.stop.budget = options.budget;
  KP_TRY_VOID(choose_proposer(options, settings));
  KP_TRY_VOID(go_on_with_memory(options, stored));
  Progress progress(terminal, settings.stop.budget);
  KP_TRY(const auto events, stored.store.events(0));
  for (const store::Event& event : events) {
    if (const auto* node = std::get_if<store::NodeSummary>(&event.what)) progress.recall(*node);
  }
  KP_TRY(const auto bench, loop::open_bench(stored, "", stop));
  KP_TRY(auto undertaking, loop::Undertaking::go_on(std::move(stored), bench));
  note_start(undertaking, options.run, terminal);
  KP_TRY(const auto ending, undertaking.run(options.run, &progress, stop));
  return report_ending(ending, options.run, options.json, terminal);
}

}  // namespace

void add_resume(CLI::App& app, Run& run) {
  auto options = std::make_shared<ResumeOptions>();
  CLI::App* command = app.add_subcommand("resume", "Go on with a run that was stopped or killed");
  command->add_option("run", options->run, "folder of the run")->required();
  command->add_option("--proposer", options->proposer,
                      "another one to go on with, as optimize knows it; its flags count only then");
  add_proposer_flags(*command, options->proposer_options);
  add_memory_option(*command, options->memory);
  command->add_option("--budget", options->budget, "a new budget of evaluations, all told")
      ->check(at_least(1));
  command->add_flag("--json", options->json, "end with one JSON object on standard output");
  command->footer("Example:\n  kernelpro resume runs/transpose --budget 120");
  command->callback([options, &run] {
    run = [options](Terminal& terminal) { return resume(*options, terminal); };
  });
}

}  // namespace kp::cli

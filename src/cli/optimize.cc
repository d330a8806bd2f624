// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/memory_options.h"
#include "cli/outcome.h"
#include "cli/progress.h"
#include "cli/proposer_flags.h"
#include "cli/recorded_workshop.h"
#include "cli/replay.h"
#include "cli/search_options.h"
#include "cli/workshop.h"
#include "loop/memory.h"
#include "loop/session.h"
#include "propose/proposer.h"
#include "task/task.h"

namespace kp::cli {
namespace {

struct Options {
  std::string task, out;
  bool json = false;
  double time_s = 0;
  loop::Settings settings;
  MemoryOptions memory;
};

/// A run that is interrupted in its first evaluation has no ending yet, but can go on.
Result<loop::Session> start(const loop::Settings& settings, const loop::Rooms& rooms,
                            const Path& folder) {
  auto session = loop::Session::start(settings, rooms, folder);
  if (session || !interrupted()) return session;
  Error error = std::move(session).error();
  error.hint = fmt::format("`kernelpro resume {}` goes on", folder.string());
  return tl::unexpected<Error>(std::move(error));
}

Result<int> optimize(Options options, Terminal& terminal) {
  const StopFlag& stop = stop_on_signals();
  KP_TRY(Task task, task::read_task(options.task));
  const Path folder = run_folder(options.out, task.name);
  if (const auto file = recording_of(options.settings.proposer)) {
    KP_TRY(const auto ending, replay(task, *file, folder, stop, terminal));
    return report_ending(ending, folder, options.json, terminal);
  }
  loop::Settings& settings = options.settings;
  settings.task = std::filesystem::absolute(options.task).lexically_normal().string();
  choose_memory(options.memory, settings);
  KP_TRY_VOID(check_memory(settings));
  settings.stop.time = std::chrono::duration<double>(options.time_s);
  harness::HarnessOptions harness_options;
  harness_options.seed = settings.seed;
  KP_TRY(auto shop, open_workshop(std::move(task), settings.device, harness_options, stop,
                                  settings.proposer_options.code_roots));
  settings.device = shop.device->describe().name;
  KP_TRY(settings.proposer_options, resolved(std::move(settings.proposer_options)));
  KP_TRY(auto proposer, propose::make_proposer(settings.proposer, settings.proposer_options));
  settings.environment = environment(shop, settings, options.task);
  Progress progress(terminal, settings.stop.budget);
  terminal.note(fmt::format("{} on {}, proposals by {}; the run is kept in {}", shop.task().name,
                            settings.device, settings.proposer, folder.string()));
  KP_TRY(RecordedWorkshop judges, RecordedWorkshop::open(shop, settings.proposer_options.record));
  KP_TRY_VOID(judges.begin(settings));
  const loop::Rooms rooms{judges.judge(), *proposer, &progress, loop::remembering()};
  KP_TRY(auto session, start(settings, rooms, folder));
  KP_TRY(const auto ending, session.run(stop));
  KP_TRY_VOID(judges.end(ending));
  return report_ending(ending, folder, options.json, terminal);
}

}  // namespace

void add_optimize(CLI::App& app, Run& run) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("optimize", "Search for a faster version of a task's kernel");
  command->add_option("task", options->task, "task folder, or a .cu file that declares its task")
      ->required();
  auto& settings = options->settings;
  command->add_option("--device", settings.device, kDeviceHelp);
  command
      ->add_option(
          "--proposer", settings.proposer,
          "who writes candidates: rewriter, anthropic:MODEL, openai:MODEL@URL, command:CMD, "
          "scripted:FILE, scripted-chat:FILE, or replay:FILE for a recorded run")
      ->capture_default_str();
  add_proposer_flags(*command, settings.proposer_options);
  add_memory_option(*command, options->memory);
  add_search_options(*command, settings);
  command->add_option("--time", options->time_s, "seconds; no limit when 0 or not given")
      ->check(at_least(0));
  command->add_option("--out", options->out, "folder of the run; runs/NAME when not given");
  command->add_flag("--json", options->json, "end with one JSON object on standard output");
  command->footer(
      "Examples:\n"
      "  kernelpro optimize tasks/transpose\n"
      "  kernelpro optimize tasks/smooth.cu --budget 20 --out runs/smooth --json");
  command->callback([options, &run] {
    run = [options](Terminal& terminal) { return optimize(*options, terminal); };
  });
}

}  // namespace kp::cli

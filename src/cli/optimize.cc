// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/memory_options.h"
#include "cli/outcome.h"
#include "cli/progress.h"
#include "cli/proposer_flags.h"
#include "cli/replay.h"
#include "cli/search_options.h"
#include "cli/task_options.h"
#include "cli/workshop.h"
#include "loop/undertaking.h"

namespace kp::cli {
namespace {

struct OptimizeOptions {
  std::string task, out;
  bool json = false;
  double time_s = 0;
  loop::Settings settings;
  MemoryOptions memory;
};

Result<int> optimize(OptimizeOptions options, Terminal& terminal) {
  const StopFlag& stop = stop_on_signals();
  KP_TRY(Task task, read_task(options.task, options.settings.from));
  const Path folder = run_folder(options.out, task.name);
  if (const auto file = recording_of(options.settings.proposer)) {
    KP_TRY(const auto ending, replay(task, *file, folder, stop, terminal));
    return report_ending(ending, folder, options.json, terminal);
  }
  loop::Settings& settings = options.settings;
  KP_TRY_VOID(check_begin(task, settings.proposer));
  choose_memory(options.memory, settings);
  KP_TRY_VOID(check_memory(settings));
  settings.stop.time = std::chrono::duration<double>(options.time_s);
  KP_TRY(const auto bench,
         loop::open_bench(settings.device, stop, settings.proposer_options.code_roots));
  KP_TRY(auto undertaking,
         loop::Undertaking::begin(settings, std::move(task), options.task, bench));
  Progress progress(terminal, settings.stop.budget);
  note_start(undertaking, folder, terminal);
  KP_TRY(const auto ending, undertaking.run(folder, &progress, stop));
  return report_ending(ending, folder, options.json, terminal);
}

}  // namespace

void add_optimize(CLI::App& app, Run& run) {
  auto options = std::make_shared<OptimizeOptions>();
  CLI::App* command =
      app.add_subcommand("optimize", "Search for a faster version of a task's kernel");
  command->add_option("task", options->task, kTaskHelp)->required();
  auto& settings = options->settings;
  add_from_option(*command, settings.from);
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

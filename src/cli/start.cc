// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/memory_options.h"
#include "cli/search_options.h"
#include "cli/task_options.h"
#include "cli/workshop.h"
#include "loop/stored_run.h"

namespace kp::cli {
namespace {

struct StartOptions {
  std::string task, out, device;
  bool json = false;
  loop::Settings settings;
  MemoryOptions memory;
};

Result<int> start(StartOptions options, Terminal& terminal) {
  KP_TRY(const Task task, read_task(options.task, options.settings.from));
  const Path folder = run_folder(options.out, task.name);
  loop::Settings& settings = options.settings;
  choose_memory(options.memory, settings);
  settings.proposer = loop::kByHand;
  settings.environment = {{"version", KP_VERSION}};
  if (!options.device.empty()) settings.environment["wanted_device"] = options.device;
  KP_TRY_VOID(loop::found_run(options.task, settings, folder));
  note_doubts(task, terminal);
  if (options.json) {
    terminal.print_json({{"run", folder.string()}, {"baseline", task.baseline.has_value()}});
    return kDone;
  }
  terminal.print(fmt::format("{} is kept in {}", task.name, folder.string()));
  const std::string work = fmt::format("kernelpro work {}", folder.string());
  const std::string ask = fmt::format("kernelpro ask {}", folder.string());
  terminal.print("next: " + (task.baseline ? work + "   judges the baseline\n      " + ask : ask) +
                 "    prints what to write");
  return kDone;
}

}  // namespace

void add_start(CLI::App& app, Run& run) {
  auto options = std::make_shared<StartOptions>();
  CLI::App* command =
      app.add_subcommand("start", "Begin a run that you drive with ask, tell and work");
  command->add_option("task", options->task, kTaskHelp)->required();
  command->add_option("--out", options->out, "folder of the run; runs/NAME when not given");
  add_from_option(*command, options->settings.from);
  command->add_option("--device", options->device,
                      "for whoever judges: cuda[:N] or vgpu[:SPEC]; need not be on this machine");
  add_memory_option(*command, options->memory);
  add_search_options(*command, options->settings);
  command->add_flag("--json", options->json, "one JSON object on standard output");
  command->footer(
      "Example:\n"
      "  kernelpro start tasks/transpose --out runs/mine\n"
      "  kernelpro work runs/mine              # judges the baseline\n"
      "  kernelpro ask runs/mine > prompt.txt  # what to write\n"
      "  kernelpro tell runs/mine 0 better.cu\n"
      "  kernelpro work runs/mine\n"
      "  kernelpro finish runs/mine            # the best, judged again at full depth");
  command->callback([options, &run] {
    run = [options](Terminal& terminal) { return start(*options, terminal); };
  });
}

}  // namespace kp::cli

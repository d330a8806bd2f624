// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/bench_progress.h"
#include "cli/bench_reports.h"
#include "cli/command.h"
#include "cli/workshop.h"
#include "suite/campaign.h"

namespace kp::cli {
namespace {

struct BenchOptions {
  std::string suite, out, only;
  std::vector<std::string> arms;
  int jobs = 1, budget = 0;
  bool json = false;
};

/// The suite as the command line narrows it; a smaller suite goes on where a larger one was.
Result<suite::Suite> suite_for(const BenchOptions& options) {
  if (options.suite.empty()) {
    return fail(ErrorCode::kInvalidInput, "no suite was named",
                "give a suite file or a folder of tasks: kernelpro bench suites/shipped.toml");
  }
  KP_TRY(auto suite, suite::read_suite(options.suite));
  if (!options.arms.empty()) KP_TRY_VOID(suite::keep_arms(suite, options.arms));
  for (suite::Arm& arm : suite.arms) {
    if (options.budget > 0) arm.settings.stop.budget = options.budget;
  }
  return suite;
}

Result<int> run_bench(const BenchOptions& options, Terminal& terminal) {
  const StopFlag& stop = stop_on_signals();
  KP_TRY(const auto suite, suite_for(options));
  const Path folder =
      options.out.empty() ? Path("runs") / ("suite-" + suite.name) : Path(options.out);
  KP_TRY(auto store, suite::SuiteStore::open(folder, suite));
  KP_TRY(const auto todo, suite::runs_to_drive(suite, store, options.only));
  terminal.note(fmt::format("{}: {} tasks, {} to do, kept in {}", suite.name, suite.tasks.size(),
                            todo.size() == 1 ? "1 run" : fmt::format("{} runs", todo.size()),
                            folder.string()));
  BenchProgress progress(terminal, static_cast<int>(todo.size()));
  KP_TRY(const auto tally,
         suite::run_campaign(suite, store, {options.jobs, options.only, &progress}, stop));
  if (options.json) {
    terminal.print_json({{"folder", folder.string()},
                         {"finished", tally.finished},
                         {"quarantined", tally.quarantined},
                         {"failed", tally.failed},
                         {"left", tally.left}});
  } else {
    terminal.print(fmt::format(
        "{} runs finished, {} in quarantine, {} failed, {} left\nnext: {}", tally.finished,
        tally.quarantined, tally.failed, tally.left,
        tally.left > 0 ? fmt::format("kernelpro bench {} --out {}", options.suite, folder.string())
                       : fmt::format("kernelpro bench report {}", folder.string())));
  }
  if (tally.left > 0 && stop.requested()) return kInterrupted;
  return tally.failed > 0 ? kFailed : kDone;
}

}  // namespace

void add_bench(CLI::App& app, Run& run) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App* command =
      app.add_subcommand("bench", "Optimise a suite of tasks, and say what came of it");
  command->add_option("suite", options->suite, "suite file, or a folder of tasks");
  command->add_option("--out", options->out,
                      "folder of the results; runs/suite-NAME when not given");
  command->add_option("--jobs", options->jobs, "runs at a time on a virtual device")
      ->check(at_least(1))
      ->capture_default_str();
  command->add_option("--only", options->only, "pattern of task names, such as 'matmul*'");
  command->add_option("--arm", options->arms, "only this arm of the suite; may be repeated")
      ->allow_extra_args(false);
  command
      ->add_option("--budget", options->budget, "evaluations of each run, in place of the suite's")
      ->check(at_least(1));
  command->add_flag("--json", options->json, "end with one JSON object on standard output");
  command->footer(
      "Called again, it does what is not done yet. Examples:\n"
      "  kernelpro bench suites/shipped.toml --only 's*'\n"
      "  kernelpro bench report runs/suite-shipped");
  command->require_subcommand(0, 1);
  command->callback([options, command, &run] {
    if (!command->get_subcommands().empty()) return;
    run = [options](Terminal& terminal) { return run_bench(*options, terminal); };
  });
  declare_bench_reports(*command, run);
}

}  // namespace kp::cli

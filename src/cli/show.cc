// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "report/run_json.h"
#include "report/text.h"

namespace kp::cli {
namespace {

struct ShowOptions {
  std::string run;
  bool json = false;
};

Result<int> show(const ShowOptions& options, Terminal& terminal) {
  KP_TRY(const auto view, report::read_run(options.run));
  if (options.json) {
    terminal.print_json(report::to_json(view));
  } else {
    terminal.print(report::tree_text(view));
  }
  return kDone;
}

}  // namespace

void add_show(CLI::App& app, Run& run) {
  auto options = std::make_shared<ShowOptions>();
  CLI::App* command =
      app.add_subcommand("show", "The tree of a run; the path to the best is marked");
  command->add_option("run", options->run, "folder of the run")->required();
  command->add_flag("--json", options->json, "one JSON object on standard output");
  command->footer("Example:\n  kernelpro show runs/transpose");
  command->callback([options, &run] {
    run = [options](Terminal& terminal) { return show(*options, terminal); };
  });
}

}  // namespace kp::cli

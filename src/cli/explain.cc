// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "report/diff.h"
#include "report/run_json.h"
#include "report/text.h"

namespace kp::cli {
namespace {

struct ExplainOptions {
  std::string run;
  int node = -1;
  bool json = false;
};

Result<int> explain(const ExplainOptions& options, Terminal& terminal) {
  KP_TRY(const auto view, report::read_run(options.run));
  const int node = options.node >= 0 ? options.node : std::max(view.best(), 0);
  if (node >= static_cast<int>(view.nodes.size())) {
    return fail(
        ErrorCode::kInvalidInput,
        fmt::format("the run has no node {}; its nodes are 0 to {}", node, view.nodes.size() - 1),
        fmt::format("`kernelpro show {}` lists them", options.run));
  }
  if (options.json) {
    terminal.print_json(report::node_to_json(view, node));
    return kDone;
  }
  terminal.print(report::explanation(view, node));
  const std::string change = report::change_of(view, node);
  if (!change.empty()) terminal.print_verbatim("change from its parent:\n" + change);
  return kDone;
}

}  // namespace

void add_explain(CLI::App& app, Run& run) {
  auto options = std::make_shared<ExplainOptions>();
  CLI::App* command =
      app.add_subcommand("explain", "Why a node was made, what it gained, what was found");
  command->add_option("run", options->run, "folder of the run")->required();
  command->add_option("node", options->node, "node number; the best when absent")
      ->check(at_least(0));
  command->add_flag("--json", options->json, "one JSON object on standard output");
  command->footer("Example:\n  kernelpro explain runs/transpose 3");
  command->callback([options, &run] {
    run = [options](Terminal& terminal) { return explain(*options, terminal); };
  });
}

}  // namespace kp::cli

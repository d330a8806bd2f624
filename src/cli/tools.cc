// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "diagnose/diagnose.h"

namespace kp::cli {
namespace {

nlohmann::json to_json(const diagnose::Tool& tool) {
  const auto about = tool.about();
  nlohmann::json needs = nlohmann::json::array();
  for (const MetricKey& key : tool.needs()) needs.push_back(key.name);
  return {{"name", about.name},       {"sees", about.sees},         {"costs", about.costs},
          {"tries", about.tries},     {"misleads", about.misleads}, {"source", about.source},
          {"needs", std::move(needs)}};
}

Result<int> list(bool json, Terminal& terminal) {
  if (json) {
    nlohmann::json all = nlohmann::json::array();
    for (const auto& tool : diagnose::tools()) all.push_back(to_json(*tool));
    terminal.print_json(all);
    return kDone;
  }
  for (const auto& tool : diagnose::tools()) {
    const auto about = tool->about();
    terminal.print(
        fmt::format("{}\n  sees      {}\n  costs     {}\n  try       {}\n  misleads  {}\n"
                    "  source    {}\n",
                    terminal.bold(about.name), about.sees, about.costs, about.tries, about.misleads,
                    about.source));
  }
  return kDone;
}

}  // namespace

void add_tools(CLI::App& app, Run& run) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command =
      app.add_subcommand("tools", "The diagnosis tools: what each sees and what it advises");
  command->add_flag("--json", *json, "a JSON list on standard output");
  command->footer("Example:\n  kernelpro tools --json");
  command->callback(
      [json, &run] { run = [json](Terminal& terminal) { return list(*json, terminal); }; });
}

}  // namespace kp::cli

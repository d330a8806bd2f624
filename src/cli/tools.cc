// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "diagnose/diagnose.h"
#include "diagnose/lua_tool.h"
#include "diagnose/tools_json.h"

namespace kp::cli {
namespace {

std::string describe(const diagnose::Tool& tool, std::string_view origin, Terminal& terminal) {
  const auto about = tool.about();
  return fmt::format(
      "{}\n  sees      {}\n  costs     {}\n  try       {}\n  misleads  {}\n"
      "  source    {}\n  origin    {}\n",
      terminal.bold(about.name), about.sees, about.costs, about.tries, about.misleads, about.source,
      origin);
}

Result<int> list(bool json, Terminal& terminal) {
  if (json) {
    terminal.print_json(diagnose::tools_json());
    return kDone;
  }
  for (const auto& tool : diagnose::tools()) {
    terminal.print(describe(*tool, diagnose::kBuiltIn, terminal));
  }
  for (const auto& user : diagnose::used_tools()) {
    terminal.print(describe(*user.tool, user.origin.string(), terminal));
  }
  return kDone;
}

/// Reads the tools that users wrote before the chosen command runs.
void with_user_tools(CLI::App& app, Run& run) {
  auto folders = std::make_shared<std::vector<std::string>>();
  app.add_option("--tools", *folders, "read diagnosis tools (*.lua) from this folder too")
      ->type_name("FOLDER")
      ->take_all()
      ->expected(1);
  app.final_callback([folders, &run] {
    run = [inner = std::move(run), folders](Terminal& terminal) {
      std::vector<Path> all = diagnose::user_tool_folders();
      all.insert(all.end(), folders->begin(), folders->end());
      diagnose::UserTools found = diagnose::read_user_tools(all);
      for (const Error& fault : found.faults) terminal.note("note: " + fault.text());
      diagnose::use_tools(std::move(found.tools));
      return inner(terminal);
    };
  });
}

}  // namespace

void add_tools(CLI::App& app, Run& run) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command =
      app.add_subcommand("tools", "The diagnosis tools: what each sees and what it advises");
  command->add_flag("--json", *json, "a JSON list on standard output");
  command->footer("Example:\n  kernelpro tools --json\n  kernelpro --tools share/tools tools");
  with_user_tools(app, run);
  command->callback(
      [json, &run] { run = [json](Terminal& terminal) { return list(*json, terminal); }; });
}

}  // namespace kp::cli

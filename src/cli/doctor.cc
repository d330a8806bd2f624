// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/parallel.h"
#include "build/toolchain.h"
#include "cli/command.h"
#include "device/device.h"

namespace kp::cli {
namespace {

struct Line {
  std::string what;
  bool usable = false;
  std::string detail;
};

std::vector<Line> examine() {
  std::vector<Line> lines;
  const auto toolchain = build::find_toolchain();
  lines.push_back({"compiler", toolchain.has_value(),
                   toolchain ? build::describe(*toolchain) : toolchain.error().text()});
  if (toolchain) {
    lines.push_back({"nvcc", !toolchain->nvcc.empty(),
                     toolchain->nvcc.empty() ? "absent; only sources that need host headers miss it"
                                             : toolchain->nvcc.string()});
    lines.push_back({"host compiler", !toolchain->host_compiler.empty(),
                     toolchain->host_compiler.empty()
                         ? "absent; tasks with reference.cc need one: install g++"
                         : toolchain->host_compiler.string()});
  }
  for (const auto& device : device::list_devices()) {
    lines.push_back({"device " + device.name, device.usable, device.detail});
  }
  lines.push_back({"cores", true, fmt::format("{}", available_cores())});
  const auto home = installation_folder();
  lines.push_back({"installation", home.has_value(), home ? home->string() : home.error().text()});
  return lines;
}

Result<int> doctor(bool json, Terminal& terminal) {
  const auto lines = examine();
  if (json) {
    nlohmann::json all = nlohmann::json::array();
    for (const Line& line : lines) {
      all.push_back({{"what", line.what}, {"usable", line.usable}, {"detail", line.detail}});
    }
    terminal.print_json(all);
    return kDone;
  }
  for (const Line& line : lines) {
    const std::string mark = line.usable ? terminal.green("yes") : "no ";
    terminal.print(fmt::format("{}  {:<18} {}", mark, line.what, line.detail));
  }
  return kDone;
}

}  // namespace

void add_doctor(CLI::App& app, Run& run) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command =
      app.add_subcommand("doctor", "What this machine can do, and how to enable the rest");
  command->add_flag("--json", *json, "a JSON list on standard output");
  command->callback(
      [json, &run] { run = [json](Terminal& terminal) { return doctor(*json, terminal); }; });
}

}  // namespace kp::cli

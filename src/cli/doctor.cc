// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/child.h"
#include "base/parallel.h"
#include "base/text.h"
#include "build/sandbox.h"
#include "build/toolchain.h"
#include "cli/command.h"
#include "device/device.h"

namespace kp::cli {
namespace {

struct Line {
  std::string what;
  bool usable = false;
  std::string detail;  // may have several lines
};

/// What this machine has, or what its absence means.
Line optional(const std::string& what, const Path& found, std::string_view when_absent) {
  return {what, !found.empty(), found.empty() ? std::string(when_absent) : found.string()};
}

void add_compilers(std::vector<Line>& lines) {
  const auto toolchain = build::find_toolchain();
  lines.push_back({"compiler", toolchain.has_value(),
                   toolchain ? build::describe(*toolchain) : toolchain.error().text()});
  if (!toolchain) return;
  lines.push_back(optional("nvcc", toolchain->nvcc,
                           "absent; rarely missed: NVRTC compiles all but kernels that include "
                           "headers of the host\nhint: install the toolkit's package cuda-nvcc"));
  lines.push_back(optional("host compiler", toolchain->host_compiler,
                           "absent; tasks with a reference.cc need one\nhint: install g++"));
}

void add_devices(std::vector<Line>& lines) {
  for (const auto& device : device::list_devices()) {
    lines.push_back({"device " + device.name, device.usable, device.detail});
  }
}

void add_host(std::vector<Line>& lines) {
  lines.push_back({"sandbox", build::sandbox_works(),
                   build::sandbox_works()
                       ? "compilers run in bubblewrap: no network, and only the files they need"
                       : build::sandbox_level()});
  lines.push_back(optional("npm", find_program("npm").value_or(Path()),
                           "absent; not needed here: only a build of KernelPro from source asks "
                           "for it"));
  lines.push_back({"cores", true, fmt::format("{}", available_cores())});
  const auto home = installation_folder();
  lines.push_back({"installation", home.has_value(), home ? home->string() : home.error().text()});
}

std::vector<Line> examine() {
  std::vector<Line> lines;
  add_compilers(lines);
  add_devices(lines);
  add_host(lines);
  return lines;
}

void print_table(const std::vector<Line>& lines, Terminal& terminal) {
  std::size_t width = 0;
  for (const Line& line : lines) width = std::max(width, line.what.size());
  for (const Line& line : lines) {
    std::string detail;
    for (const std::string_view part : split_lines(line.detail)) {
      // Under the first line of the detail: after mark, name and two gaps.
      if (!detail.empty()) detail += "\n" + std::string(3 + 2 + width + 2, ' ');
      detail += part;
    }
    terminal.print(fmt::format("{}  {:<{}}  {}", line.usable ? terminal.green("yes") : "no ",
                               line.what, width, detail));
  }
}

Result<int> doctor(bool json, Terminal& terminal) {
  const auto lines = examine();
  if (!json) {
    print_table(lines, terminal);
    return kDone;
  }
  nlohmann::json all = nlohmann::json::array();
  for (const Line& line : lines) {
    all.push_back({{"what", line.what}, {"usable", line.usable}, {"detail", line.detail}});
  }
  terminal.print_json(all);
  return kDone;
}

}  // namespace

void add_doctor(CLI::App& app, Run& run) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command =
      app.add_subcommand("doctor", "What this machine can do, and how to enable the rest");
  command->add_flag("--json", *json, "a JSON list on standard output");
  command->footer("Example:\n  kernelpro doctor");
  command->callback(
      [json, &run] { run = [json](Terminal& terminal) { return doctor(*json, terminal); }; });
}

}  // namespace kp::cli

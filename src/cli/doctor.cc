// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/calibrate.h"
#include "cli/command.h"

namespace kp::cli {
namespace {

struct DoctorOptions {
  bool json = false, calibrate = false;
  std::string device = "cuda", out;
};

DoctorLines examine() {
  DoctorLines lines;
  add_compilers(lines);
  add_gpus(lines);
  add_counters(lines);
  add_machine_code_tools(lines);
  add_sandbox(lines);
  add_host(lines);
  return lines;
}

void print_table(const DoctorLines& lines, Terminal& terminal) {
  std::size_t width = 0;
  for (const DoctorLine& line : lines) width = std::max(width, line.what.size());
  for (const DoctorLine& line : lines) {
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

int doctor(bool json, Terminal& terminal) {
  const DoctorLines lines = examine();
  if (!json) {
    print_table(lines, terminal);
    return kDone;
  }
  nlohmann::json all = nlohmann::json::array();
  for (const DoctorLine& line : lines) {
    all.push_back({{"what", line.what}, {"usable", line.usable}, {"detail", line.detail}});
  }
  terminal.print_json(all);
  return kDone;
}

Result<int> run_doctor(const DoctorOptions& options, Terminal& terminal) {
  if (!options.calibrate) return doctor(options.json, terminal);
  return calibrate({options.device, options.out, options.json}, terminal);
}

}  // namespace

DoctorLine found_or(const std::string& what, const Path& found, const std::string& gives,
                    const std::string& when_absent) {
  if (found.empty()) return {what, false, when_absent};
  return {what, true, gives.empty() ? found.string() : found.string() + ": " + gives};
}

void add_doctor(CLI::App& app, Run& run) {
  auto options = std::make_shared<DoctorOptions>();
  CLI::App* command =
      app.add_subcommand("doctor", "What this machine can do, and how to enable the rest");
  command->add_flag("--json", options->json, "JSON on standard output");
  CLI::Option* calibrate = command->add_flag(
      "--calibrate", options->calibrate, "measure the GPU's ceilings and write its device spec");
  command->add_option("--device", options->device, "the GPU to measure; default cuda")
      ->needs(calibrate);
  command->add_option("--out", options->out, "the spec; default NAME.toml in this folder")
      ->needs(calibrate);
  command->footer(
      "Examples:\n  kernelpro doctor\n"
      "  kernelpro doctor --calibrate --device cuda:0 --out my-gpu.toml");
  command->callback([options, &run] {
    run = [options](Terminal& terminal) { return run_doctor(*options, terminal); };
  });
}

}  // namespace kp::cli

// SPDX-License-Identifier: Apache-2.0
#include "task/survey.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/command.h"
#include "cli/workshop.h"

namespace kp::cli {
namespace {

using Json = nlohmann::json;

struct SurveyOptions {
  std::vector<std::string> paths, modes;
  std::string device = "cpu", python;
  bool json = false;
};

Json to_json(const task::Surveyed& one) {
  Json json{{"file", one.file.string()}, {"standing", task::name_of(one.standing)},
            {"inputs", one.inputs},      {"weights", one.weights},
            {"outputs", one.outputs},    {"baseline", one.baseline},
            {"gpu_only", one.gpu_only},  {"seconds", one.seconds}};
  if (!one.reason.empty()) json["reason"] = one.reason;
  if (one.bytes) json["bytes"] = *one.bytes;
  if (one.flops) json["flops"] = *one.flops;
  if (!one.nanoseconds.empty()) json["nanoseconds"] = one.nanoseconds;
  if (!one.no_timings.empty()) json["no_timings"] = one.no_timings;
  return json;
}

std::string line_of(const task::Surveyed& one) {
  std::string line =
      fmt::format("{:<11}  {}", task::name_of(one.standing),
                  (one.file.parent_path().filename() / one.file.filename()).string());
  for (const auto& [mode, time] : one.nanoseconds)
    line += fmt::format("  {} {}", mode, format_duration_ns(time));
  if (one.gpu_only) line += "  (on a GPU only)";
  if (!one.reason.empty()) line += fmt::format("\n             {}", one.reason);
  return line;
}

Result<int> survey(const SurveyOptions& options, Terminal& terminal) {
  const StopFlag& stop = stop_on_signals();
  KP_TRY(const auto files, task::python_problems({options.paths.begin(), options.paths.end()}));
  KP_TRY(const auto list, task::QuarantineList::read_shipped());
  KP_TRY(const auto worker, torch::Worker::start({options.python, options.device, &stop}));
  std::map<std::string_view, int> standings;
  Json problems = Json::array();
  for (const Path& file : files) {
    if (interrupted()) break;
    KP_TRY(const auto one, task::survey(*worker, list, file, {.modes = options.modes}));
    ++standings[task::name_of(one.standing)];
    if (options.json) {
      problems.push_back(to_json(one));
      terminal.note(line_of(one));
    } else {
      terminal.print(line_of(one));
    }
  }
  if (options.json) {
    const torch::Installation& about = worker->installation();
    terminal.print_json({{"torch", about.torch_version},
                         {"device", about.device},
                         {"standings", standings},
                         {"problems", std::move(problems)}});
  } else {
    for (const auto& [standing, count] : standings)
      terminal.print(fmt::format("{}: {}", standing, count));
  }
  return kDone;
}

}  // namespace

void add_survey(CLI::App& app, Run& run) {
  auto options = std::make_shared<SurveyOptions>();
  CLI::App* command = app.add_subcommand(
      "survey", "Which Python problems can be used, and how long PyTorch takes for them");
  command->add_option("path", options->paths, "Python files, or folders that hold them")
      ->required();
  command->add_option("--time", options->modes,
                      "time PyTorch too: eager, compile, graph; needs --device cuda");
  command->add_option("--device", options->device, "where PyTorch runs: cpu, cuda or cuda:N")
      ->check(device_of_torch())
      ->capture_default_str();
  command->add_option("--python", options->python, "a Python that has PyTorch");
  command->add_flag("--json", options->json, "one JSON object on standard output");
  command->footer(
      "Examples:\n"
      "  kernelpro survey KernelBench/level1\n"
      "  kernelpro survey KernelBench --device cuda --time eager compile --json");
  command->callback([options, &run] {
    run = [options](Terminal& terminal) { return survey(*options, terminal); };
  });
}

}  // namespace kp::cli

// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/candidate_options.h"
#include "cli/command.h"
#include "model/json.h"
#include "report/text.h"

namespace kp::cli {
namespace {

Result<int> diagnose(const CandidateOptions& options, Terminal& terminal) {
  KP_TRY(auto shop, open_workshop(options));
  KP_TRY(const auto judged, judge_source(shop, options, Depth::kQuick));
  if (!judged.diagnosis) {
    terminal.print(options.json ? to_json(judged.evaluation).dump(2)
                                : report::text_of(judged.evaluation));
    return kBadCandidate;
  }
  if (options.json) {
    terminal.print_json(to_json(*judged.diagnosis));
  } else {
    terminal.print(report::text_of(*judged.diagnosis));
  }
  return kDone;
}

}  // namespace

void add_diagnose(CLI::App& app, Run& run) {
  auto options = std::make_shared<CandidateOptions>();
  CLI::App* command =
      app.add_subcommand("diagnose", "What limits a kernel, and what to do about it");
  command->add_option("task", options->task, "task folder or .cu file")->required();
  command->add_option("kernel", options->kernel, "candidate; the task's baseline when absent");
  add_candidate_options(*command, *options);
  command->footer(
      "Examples:\n"
      "  kernelpro diagnose tasks/transpose\n"
      "  kernelpro diagnose tasks/softmax my_softmax.cu --json");
  command->callback([options, &run] {
    run = [options](Terminal& terminal) { return diagnose(*options, terminal); };
  });
}

}  // namespace kp::cli

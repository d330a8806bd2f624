// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/candidate_options.h"
#include "cli/command.h"
#include "model/json.h"
#include "report/text.h"

namespace kp::cli {
namespace {

constexpr std::string_view kClean =
    "no fault found: memory, races, uninitialised data, barriers and values, on every check "
    "workload";

Result<int> check(const CandidateOptions& options, Terminal& terminal) {
  KP_TRY(auto shop, open_workshop(options));
  KP_TRY(const auto fault, check_source(shop, options));
  if (!fault) {
    options.json ? terminal.print_json({{"clean", true}}) : terminal.print(kClean);
    return kDone;
  }
  if (options.json) {
    terminal.print_json({{"clean", false}, {"evaluation", to_json(*fault)}});
  } else {
    terminal.print(report::text_of(*fault));
  }
  return kBadCandidate;
}

}  // namespace

void add_check(CLI::App& app, Run& run) {
  auto options = std::make_shared<CandidateOptions>();
  CLI::App* command =
      app.add_subcommand("check", "The sanitizer that needs no GPU: memory, races, values");
  command->add_option("task", options->task, kTaskHelp)->required();
  command->add_option("kernel", options->kernel, "candidate; the task's baseline when absent");
  add_candidate_options(*command, *options);
  command->footer(
      "Examples:\n"
      "  kernelpro check tasks/smooth.cu\n"
      "  kernelpro check tasks/transpose my_transpose.cu --json");
  command->callback([options, &run] {
    run = [options](Terminal& terminal) { return check(*options, terminal); };
  });
}

}  // namespace kp::cli

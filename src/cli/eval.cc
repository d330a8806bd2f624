// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/candidate_options.h"
#include "cli/command.h"
#include "cli/task_options.h"
#include "loop/judge.h"
#include "model/json.h"
#include "report/text.h"

namespace kp::cli {
namespace {

struct EvalOptions {
  CandidateOptions candidate;
  bool quick = false;
};

/// Speedup of `candidate` over the task's baseline, both at `depth`; absent when one was not
/// measured.
Result<std::optional<double>> over_baseline(Workshop& shop, const Evaluation& evaluation,
                                            Depth depth) {
  const Measured* measured = evaluation.measured();
  if (!measured || !shop.task().baseline) return std::optional<double>{};
  KP_TRY(const auto baseline, read_baseline(shop.task()));
  KP_TRY(const auto before, shop.harness->evaluate(baseline, depth));
  if (!before.measured()) return std::optional<double>{};
  return std::optional<double>{before.measured()->nanoseconds / measured->nanoseconds};
}

void print_text(const loop::Judged& judged, std::optional<double> speedup, Terminal& terminal) {
  terminal.print(report::text_of(judged.evaluation));
  if (speedup)
    terminal.print(terminal.bold(fmt::format("{:.2f}x over the baseline", *speedup)) + "\n");
  if (judged.diagnosis) terminal.print(report::text_of(*judged.diagnosis));
}

Result<int> evaluate(const EvalOptions& options, Terminal& terminal) {
  KP_TRY(auto shop, open_workshop(options.candidate));
  note_doubts(shop.task(), terminal);
  const Depth depth = options.quick ? Depth::kQuick : Depth::kFinal;
  KP_TRY(const auto judged, judge_source(shop, options.candidate, depth));
  KP_TRY(const auto speedup, over_baseline(shop, judged.evaluation, depth));
  if (options.candidate.json) {
    nlohmann::json json{{"task", shop.task().name},
                        {"evaluation", to_json(judged.evaluation)},
                        {"speedup", speedup ? nlohmann::json(*speedup) : nlohmann::json()}};
    if (judged.diagnosis) json["diagnosis"] = to_json(*judged.diagnosis);
    terminal.print_json(json);
  } else {
    print_text(judged, speedup, terminal);
  }
  return judged.evaluation.measured() ? kDone : kBadCandidate;
}

}  // namespace

void add_eval(CLI::App& app, Run& run) {
  auto options = std::make_shared<EvalOptions>();
  CLI::App* command = app.add_subcommand("eval", "Judge one candidate: verdict, time, findings");
  command->add_option("task", options->candidate.task, "task folder or .cu file")->required();
  command->add_option("kernel", options->candidate.kernel,
                      "candidate; the task's baseline when absent");
  add_from_option(*command, options->candidate.from);
  command->add_flag("--quick", options->quick, "fewer checks, as for nodes of the search");
  add_candidate_options(*command, options->candidate);
  command->footer(
      "Examples:\n"
      "  kernelpro eval tasks/transpose my_transpose.cu\n"
      "  kernelpro eval tasks/smooth.cu --set BLOCK=128 --json\n"
      "  kernelpro eval level1/25_Swish.py new.cu --from old.cu   # timed against old.cu");
  command->callback([options, &run] {
    run = [options](Terminal& terminal) { return evaluate(*options, terminal); };
  });
}

}  // namespace kp::cli

// SPDX-License-Identifier: Apache-2.0
#include "cli/candidate_options.h"

#include "base/text.h"
#include "cli/code_options.h"
#include "cli/command.h"
#include "cli/task_options.h"
#include "harness/torch_problem.h"
#include "loop/harness_judge.h"
#include "task/task.h"

namespace kp::cli {
namespace {

Result<Bindings> parse_settings(const std::vector<std::string>& settings) {
  Bindings bindings;
  for (const std::string& setting : settings) {
    const auto equals = setting.find('=');
    const auto value =
        equals == std::string::npos ? std::nullopt : parse_integer(setting.substr(equals + 1));
    if (!value) {
      return fail(ErrorCode::kInvalidInput, "--set " + setting + " is not NAME=INTEGER",
                  "write for example --set BLOCK=128");
    }
    bindings[setting.substr(0, equals)] = *value;
  }
  return bindings;
}

}  // namespace

void add_candidate_options(CLI::App& command, CandidateOptions& options) {
  command.add_option("--device", options.device, kDeviceHelp);
  command.add_option("--set", options.set, "NAME=VALUE of a tune parameter; may be repeated")
      ->allow_extra_args(false);
  command.add_option("--seed", options.seed, "of inputs, poison and schedules")
      ->capture_default_str();
  add_code_roots(command, options.code_roots);
  command.add_flag("--json", options.json, "one JSON object on standard output");
}

Result<Workshop> open_workshop(const CandidateOptions& options) {
  Path from = options.from;
  harness::HarnessOptions harness_options;
  harness_options.torch = harness::torch_ahead(options.task, options.device);
  KP_TRY(auto task, read_task(options.task, from));
  harness_options.seed = options.seed;
  return open_workshop(std::move(task), options.device, harness_options, stop_on_signals(),
                       {options.code_roots.begin(), options.code_roots.end()});
}

Result<Candidate> read_baseline(const Task& task) {
  if (!task.baseline) {
    return fail(ErrorCode::kInvalidInput, "the task " + task.name + " has no baseline",
                "give a candidate file");
  }
  return task::make_candidate(task, *task.baseline, task.baseline_path.string());
}

namespace {

/// The candidate that the options name, or what is wrong with its plan.
Result<std::variant<Candidate, Evaluation>> read_candidate(const Workshop& shop,
                                                           const CandidateOptions& options) {
  KP_TRY(const auto tune, parse_settings(options.set));
  const Task& task = shop.task();
  std::string source, file = options.kernel;
  if (file.empty()) {
    KP_TRY(const auto baseline, read_baseline(task));
    source = baseline.source;
    file = baseline.file;
  } else {
    KP_TRY(source, read_text(file));
  }
  auto candidate = task::make_candidate(task, std::move(source), file, tune);
  using Read = std::variant<Candidate, Evaluation>;
  if (candidate) return Read(*std::move(candidate));
  auto judged = loop::unreadable(candidate.error(), Depth::kQuick, shop.device->describe());
  return Read(std::move(judged.evaluation));
}

}  // namespace

Result<loop::Judged> judge_source(Workshop& shop, const CandidateOptions& options, Depth depth) {
  KP_TRY(auto read, read_candidate(shop, options));
  if (auto* failed = std::get_if<Evaluation>(&read)) {
    failed->depth = depth;
    return loop::Judged{std::move(*failed), std::nullopt};
  }
  loop::HarnessJudge judge(*shop.harness, *shop.device);
  return judge.judge(std::get<Candidate>(read), depth, {});
}

Result<std::optional<Evaluation>> check_source(Workshop& shop, const CandidateOptions& options) {
  KP_TRY(auto read, read_candidate(shop, options));
  if (auto* failed = std::get_if<Evaluation>(&read)) return std::optional(std::move(*failed));
  KP_TRY(auto fault, shop.harness->check(std::get<Candidate>(read)));
  if (!fault) return std::optional<Evaluation>{};
  return std::optional(
      Evaluation{*std::move(fault), Depth::kFinal, shop.device->describe().name, 0, {}});
}

}  // namespace kp::cli

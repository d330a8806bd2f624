// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "build/build.h"
#include "cli/command.h"
#include "draft/draft.h"
#include "task/task.h"

namespace kp::cli {
namespace {

struct InitOptions {
  std::string file, kernel, out;
  std::vector<std::string> axes;  // NAME=VALUE
  bool force = false, json = false;
};

Result<Bindings> answers_of(const InitOptions& options) {
  Bindings answers;
  for (const std::string& text : options.axes) {
    const std::size_t equals = text.find('=');
    const auto value = equals == std::string::npos
                           ? std::nullopt
                           : parse_integer(std::string_view(text).substr(equals + 1));
    if (!value || *value < 1) {
      return fail(ErrorCode::kInvalidInput, "'" + text + "' gives no extent to an axis",
                  "write --axis NAME=NUMBER with a number of at least 1");
    }
    answers[text.substr(0, equals)] = *value;
  }
  return answers;
}

Result<Path> place_for(const InitOptions& options) {
  const Path file(options.file);
  const Path out =
      options.out.empty() ? Path(file.stem().string() + "_task.cu") : Path(options.out);
  std::error_code ignored;
  if (std::filesystem::exists(out, ignored) && !options.force) {
    return fail(ErrorCode::kInvalidInput, out.string() + " exists already",
                "name another file with --out, or replace it with --force");
  }
  return out;
}

/// What the compiler says of the draft; empty when it accepts it. Absent without a compiler.
Result<std::optional<std::string>> compile(const Task& task) {
  auto builder = build::Builder::open();
  if (!builder) return std::optional<std::string>{};
  KP_TRY(const auto candidate,
         task::make_candidate(task, *task.baseline, task.baseline_path.string()));
  KP_TRY(const auto outcome, builder->build(task, candidate));
  if (const auto* failed = std::get_if<BuildFailed>(&outcome))
    return std::optional<std::string>(failed->log);
  if (const auto* rejected = std::get_if<Rejected>(&outcome))
    return std::optional<std::string>(rejected->reason);
  return std::optional<std::string>(
      std::holds_alternative<TimedOut>(outcome) ? "the compiler took too long" : "");
}

nlohmann::json to_json(const draft::Draft& draft, const Path& out,
                       const std::optional<std::string>& log) {
  nlohmann::json questions = nlohmann::json::array();
  for (const draft::Question& question : draft.questions) {
    questions.push_back(
        {{"about", question.about}, {"question", question.text}, {"assumed", question.assumed}});
  }
  return {{"task", out.string()},
          {"kernels", draft.kernels},
          {"questions", std::move(questions)},
          {"compiles", log ? nlohmann::json(log->empty()) : nlohmann::json()},
          {"log", log.value_or("")}};
}

void print(const draft::Draft& draft, const Path& out, const std::optional<std::string>& log,
           Terminal& terminal) {
  terminal.print(fmt::format("{} drafts {}\n", terminal.bold(out.string()),
                             fmt::format("{}", fmt::join(draft.kernels, ", "))));
  if (!draft.questions.empty()) terminal.print("Please look at what the file does not say:");
  for (const draft::Question& question : draft.questions) {
    terminal.print(fmt::format("  {}: {}\n    assumed: {}", terminal.bold(question.about),
                               question.text, question.assumed));
  }
  if (log && !log->empty()) {
    terminal.print("\nThe draft does not compile yet:");
    terminal.print_verbatim(*log);
    return;
  }
  terminal.print(
      fmt::format("\nNext: kernelpro check {0}, then kernelpro optimize {0}", out.string()));
}

Result<int> init(const InitOptions& options, Terminal& terminal) {
  KP_TRY(const std::string source, read_text(options.file));
  KP_TRY(Bindings answers, answers_of(options));
  KP_TRY(const Path out, place_for(options));
  KP_TRY(const auto draft,
         draft::draft_task({source, options.file, options.kernel, std::move(answers)}));
  KP_TRY_VOID(write_file(out, draft.source));
  KP_TRY(const Task task, task::read_task(out));
  KP_TRY(const auto log, compile(task));
  options.json ? terminal.print_json(to_json(draft, out, log)) : print(draft, out, log, terminal);
  return log && !log->empty() ? kBadCandidate : kDone;
}

}  // namespace

void add_init(CLI::App& app, Run& run) {
  auto options = std::make_shared<InitOptions>();
  CLI::App* command = app.add_subcommand("init", "Draft a task from an existing CUDA file");
  command
      ->add_option("file", options->file,
                   "CUDA file with kernels, and the host code that launches them")
      ->required();
  command->add_option("--kernel", options->kernel,
                      "the only kernel to draft; default: all that the file launches");
  command->add_option("--axis", options->axes, "NAME=NUMBER: how large an axis is");
  command->add_option("--out", options->out, "the task to write; default: NAME_task.cu here");
  command->add_flag("--force", options->force, "replace the task when it exists");
  command->add_flag("--json", options->json, "one JSON object on standard output");
  command->footer(
      "Examples:\n"
      "  kernelpro init saxpy.cu\n"
      "  kernelpro init gemm.cu --kernel sgemm --axis M=2048 --axis N=2048 --out sgemm_task.cu");
  command->callback([options, &run] {
    run = [options](Terminal& terminal) { return init(*options, terminal); };
  });
}

}  // namespace kp::cli

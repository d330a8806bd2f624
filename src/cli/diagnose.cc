// SPDX-License-Identifier: Apache-2.0
#include "cli/diagnose.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/command.h"
#include "model/json.h"
#include "profile/recording_file.h"
#include "report/findings.h"
#include "report/findings_compare.h"
#include "report/text.h"

namespace kp::cli {
namespace {

// Kernels that a person reads about unless asked for more.
constexpr std::size_t kShown = 10;
constexpr std::string_view kProgramMark = "--";

Result<Diagnosed> look(const DiagnoseOptions& options, Terminal& terminal) {
  if (options.program) return diagnose_program(options, terminal);
  if (options.words.size() == 1 && profile::is_recording(options.words[0])) {
    return diagnose_file(options.words[0]);
  }
  return diagnose_task(options);
}

/// The earlier diagnosis: stored with --json, or made now of an earlier recording.
Result<nlohmann::json> earlier(const Path& file) {
  if (trim(profile::beginning_of(file)).starts_with('{')) {
    KP_TRY(const std::string text, read_file(file));
    return parse_json(text).within(file.string());
  }
  KP_TRY(const auto diagnosed, diagnose_file(file));
  return report::findings_json({diagnosed.program});
}

Result<std::optional<report::Comparison>> compare(const DiagnoseOptions& options,
                                                  const Diagnosed& now) {
  if (options.compare.empty()) return std::optional<report::Comparison>{};
  KP_TRY(const auto before, earlier(options.compare));
  auto comparison = report::compare_findings(before, report::findings_json({now.program}));
  if (!comparison) {
    return fail(ErrorCode::kInvalidInput,
                options.compare + " is no diagnosis: " + comparison.error().message,
                "name a recording, or what `kernelpro diagnose --json` printed");
  }
  return std::optional(*std::move(comparison));
}

report::FindingsView view_of(const DiagnoseOptions& options, const Diagnosed& found,
                             const Terminal& terminal) {
  report::FindingsView view{found.program};
  if (options.rules) view.rules = found.rules;
  // A program reads all there is; people read the first ones.
  const std::size_t usual = options.candidate.json ? 0 : kShown;
  view.top = options.top ? static_cast<std::size_t>(*options.top) : usual;
  if (!options.markdown) {
    view.strong = [&terminal](std::string_view text) { return terminal.bold(text); };
    view.faint = [&terminal](std::string_view text) { return terminal.dim(text); };
  }
  return view;
}

Result<int> print_bad(const DiagnoseOptions& options, const Evaluation& bad, Terminal& terminal) {
  if (options.candidate.json) {
    terminal.print_json(to_json(bad));
  } else {
    terminal.print(report::text_of(bad));
  }
  return kBadCandidate;
}

Result<int> diagnose(const DiagnoseOptions& options, Terminal& terminal) {
  KP_TRY(const auto found, look(options, terminal));
  if (found.bad) return print_bad(options, *found.bad, terminal);
  KP_TRY(const auto comparison, compare(options, found));
  const report::FindingsView view = view_of(options, found, terminal);
  if (options.candidate.json) {
    nlohmann::json json = report::findings_json(view);
    if (comparison) json["compare"] = report::comparison_json(*comparison);
    terminal.print_json(json);
    return kDone;
  }
  std::string text = options.markdown ? findings_markdown(view) : findings_text(view);
  if (comparison) {
    text += options.markdown ? "\n## Since " : "\nSince ";
    text += options.compare + (options.markdown ? "\n\n" : ":\n") + comparison_text(*comparison);
  }
  text.pop_back();
  options.markdown ? terminal.print_verbatim(text) : terminal.print(text);
  return kDone;
}

/// Tells what came after -- from the rest, and the task from the candidate.
Result<int> run_diagnose(DiagnoseOptions options, const std::vector<std::string>& remaining,
                         Terminal& terminal) {
  options.program = std::find(remaining.begin(), remaining.end(), kProgramMark) != remaining.end();
  if (!options.program && options.words.size() > 2) {
    return fail(ErrorCode::kInvalidInput, "unexpected argument: " + options.words[2],
                "a program and its arguments come after --: kernelpro diagnose -- ./app ...");
  }
  options.candidate.task = options.words[0];
  if (options.words.size() > 1) options.candidate.kernel = options.words[1];
  return diagnose(options, terminal);
}

}  // namespace

void add_diagnose(CLI::App& app, Run& run) {
  auto options = std::make_shared<DiagnoseOptions>();
  CLI::App* command =
      app.add_subcommand("diagnose", "What limits kernels, and what to do about it");
  command
      ->add_option("what", options->words,
                   "a task and perhaps a candidate of it; or a file that a profiler wrote: Nsight "
                   "Compute's CSV or report, Nsight Systems' SQLite export; or, after --, a "
                   "program and its arguments")
      ->required();
  add_candidate_options(*command, options->candidate);
  command->add_flag("--markdown", options->markdown, "Markdown instead of text");
  command->add_option("--compare", options->compare,
                      "an earlier recording, or an earlier output of --json: what went away");
  command->add_option("--top", options->top, "kernels to show; 0 for all; default 10, --json all")
      ->check(at_least(0));
  command
      ->add_option("--via", options->via,
                   "how to look into a program: inject (our library) or ncu (Nsight Compute); "
                   "without it inject, and ncu where that sees nothing or reads no counters")
      ->check(CLI::IsMember({"inject", "ncu"}));
  command->add_flag("--rules", options->rules, "also what Nsight Compute's own rules say");
  command->footer(
      "Examples:\n"
      "  kernelpro diagnose tasks/transpose\n"
      "  kernelpro diagnose tasks/softmax my_softmax.cu --json\n"
      "  kernelpro diagnose profile.csv --markdown > findings.md\n"
      "  kernelpro diagnose after.ncu-rep --compare before.ncu-rep\n"
      "  kernelpro diagnose -- python train.py");
  command->callback([options, command, &run] {
    run = [options, remaining = command->remaining()](Terminal& terminal) {
      return run_diagnose(*options, remaining, terminal);
    };
  });
}

}  // namespace kp::cli

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "loop/question.h"
#include "loop/stored_run.h"

namespace kp::cli {
namespace {

struct AskOptions {
  std::string run;
  int count = 1;
  bool again = false, json = false;
};

void print(const std::vector<loop::Question>& questions, const AskOptions& options,
           Terminal& terminal) {
  for (const loop::Question& question : questions) {
    terminal.note(fmt::format("#{} {}: answer with `kernelpro tell {} {} FILE`",
                              question.ask.ask.node, name_of(question.ask.ask.role), options.run,
                              question.ask.ask.node));
    terminal.print_verbatim(question.text);
  }
}

/// What there is to do when there is nothing to ask.
std::string next_step(const loop::LiveRun& run, const std::string& folder) {
  if (!run.history().pending().empty()) return "next: kernelpro work " + folder;
  if (loop::finished(run) || loop::unanswered_asks(run, 1).empty()) {
    return "next: kernelpro finish " + folder;
  }
  return fmt::format("next: kernelpro ask {} --again", folder);
}

Result<int> ask(const AskOptions& options, Terminal& terminal) {
  KP_TRY(auto stored, loop::open_shared(options.run));
  KP_TRY(const auto meta, stored.store.meta());
  KP_TRY(const auto spec, loop::spec_of(meta));
  KP_TRY(auto run, loop::LiveRun::open(std::move(stored.store), stored.settings, stored.task));
  std::vector<loop::OpenAsk> asks = loop::unanswered_asks(run, options.count);
  if (!options.again) {
    KP_TRY(asks, loop::new_asks(run, options.count));
  }
  std::vector<loop::Question> questions;
  nlohmann::json list = nlohmann::json::array(), why_none;
  for (const auto& open : asks) {
    KP_TRY(auto question, loop::question_of(run, open, spec ? &*spec : nullptr));
    list.push_back(question.json);
    questions.push_back(std::move(question));
  }
  if (questions.empty()) why_none = loop::why_none(run);
  if (options.json) {
    terminal.print_json({{"run", options.run}, {"asks", list}, {"nothing_because", why_none}});
    return kDone;
  }
  print(questions, options, terminal);
  if (questions.empty()) terminal.note(loop::why_none(run) + "\n" + next_step(run, options.run));
  return kDone;
}

}  // namespace

void add_ask(CLI::App& app, Run& run) {
  auto options = std::make_shared<AskOptions>();
  CLI::App* command =
      app.add_subcommand("ask", "The next prompts, for the nodes that the search selects");
  command->add_option("run", options->run, "folder of the run")->required();
  command->add_option("-n", options->count, "how many")->check(at_least(1))->capture_default_str();
  command->add_flag("--again", options->again, "those that nobody answered yet, no new ones");
  command->add_flag("--json", options->json, "one JSON object on standard output");
  command->footer(
      "Examples:\n"
      "  kernelpro ask runs/mine > prompt.txt\n"
      "  kernelpro ask runs/mine -n 4 --json");
  command->callback(
      [options, &run] { run = [options](Terminal& terminal) { return ask(*options, terminal); }; });
}

}  // namespace kp::cli

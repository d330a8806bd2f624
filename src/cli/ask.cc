// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "loop/briefing.h"
#include "loop/stored_run.h"
#include "propose/llm/prompt.h"
#include "search/stop_rules.h"

namespace kp::cli {
namespace {

struct Options {
  std::string run;
  int count = 1;
  bool again = false, json = false;
};

/// An ask with the words for whoever answers it.
struct Question {
  loop::OpenAsk ask;
  std::string text;
  nlohmann::json json;
};

Result<Question> question_of(loop::LiveRun& run, const loop::OpenAsk& ask, const DeviceSpec* spec) {
  KP_TRY(const auto briefing, loop::Briefing::read(run, ask, {}));
  propose::Request request = briefing.request(run);
  request.spec = spec;
  propose::PromptOptions options;
  options.arm = run.settings().proposer_options.arm;
  options.memory = run.settings().proposer_options.memory;
  KP_TRY(const auto prompt, propose::write_prompt(request, options));
  nlohmann::json json = propose::to_json(prompt, request);
  json["ask"] = ask.id;
  json["node"] = ask.ask.node;
  json["role"] = name_of(ask.ask.role);
  json["why"] = ask.ask.why;
  return Question{ask, propose::to_text(prompt), std::move(json)};
}

std::optional<search::StopReason> finished(const loop::LiveRun& run) {
  return search::first_reason(search::make_stop_rules(run.settings().stop),
                              run.history().progress());
}

/// New ones, until a stop rule speaks; or those that nobody answered yet.
Result<std::vector<loop::OpenAsk>> asks_of(loop::LiveRun& run, const Options& options) {
  std::vector<loop::OpenAsk> asks;
  const auto enough = [&] { return static_cast<int>(asks.size()) >= options.count; };
  if (options.again) {
    for (const auto& [id, open] : run.history().open()) {
      if (!open.answered && !enough()) asks.push_back(open);
    }
    return asks;
  }
  while (!enough() && !finished(run)) {
    KP_TRY(auto ask, run.ask());
    if (!ask) break;
    asks.push_back(*std::move(ask));
  }
  return asks;
}

std::string why_none(const loop::LiveRun& run, const Options& options) {
  if (const auto reason = finished(run); reason && reason->rule != "exhausted") {
    return fmt::format("nothing to ask: {}; `kernelpro finish {}` judges the best at full depth",
                       reason->sentence, options.run);
  }
  const std::size_t open = run.history().open().size(), pending = run.history().pending().size();
  if (open + pending == 0) return "nothing to ask: every node is exhausted or dead";
  return fmt::format(
      "nothing to ask now: {} asks are open and {} candidates wait for `kernelpro work {}`", open,
      pending, options.run);
}

void print(const std::vector<Question>& questions, const Options& options, Terminal& terminal) {
  for (const Question& question : questions) {
    terminal.note(fmt::format("#{} {}: answer with `kernelpro tell {} {} FILE`",
                              question.ask.ask.node, name_of(question.ask.ask.role), options.run,
                              question.ask.ask.node));
    terminal.print_verbatim(question.text);
  }
}

Result<int> ask(const Options& options, Terminal& terminal) {
  KP_TRY(auto stored, loop::open_shared(options.run));
  KP_TRY(const auto meta, stored.store.meta());
  KP_TRY(const auto spec, loop::spec_of(meta));
  KP_TRY(auto run, loop::LiveRun::open(std::move(stored.store), stored.settings, stored.task));
  if (!run.history().planted()) {
    return fail(ErrorCode::kInvalidInput, "there is nothing to ask before the baseline is judged",
                fmt::format("let `kernelpro work {}` judge it", options.run));
  }
  KP_TRY(const auto asks, asks_of(run, options));
  std::vector<Question> questions;
  nlohmann::json list = nlohmann::json::array();
  for (const auto& open : asks) {
    KP_TRY(auto question, question_of(run, open, spec ? &*spec : nullptr));
    list.push_back(question.json);
    questions.push_back(std::move(question));
  }
  if (options.json) {
    terminal.print_json({{"run", options.run},
                         {"asks", list},
                         {"nothing_because", list.empty() ? why_none(run, options) : nullptr}});
    return kDone;
  }
  print(questions, options, terminal);
  if (questions.empty()) terminal.note(why_none(run, options));
  return kDone;
}

}  // namespace

void add_ask(CLI::App& app, Run& run) {
  auto options = std::make_shared<Options>();
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

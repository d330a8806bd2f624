// SPDX-License-Identifier: Apache-2.0
#include "loop/question.h"

#include <fmt/format.h>

#include "loop/briefing.h"
#include "loop/memory.h"
#include "propose/llm/prompt.h"

namespace kp::loop {

Result<Question> question_of(LiveRun& run, const OpenAsk& ask, const DeviceSpec* spec) {
  KP_TRY(const auto briefing, Briefing::read(run, ask, remembering()));
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

Result<std::vector<OpenAsk>> new_asks(LiveRun& run, int most) {
  const Path& folder = run.store().folder();
  if (!run.history().planted()) {
    return fail(ErrorCode::kInvalidInput, "there is nothing to ask before the baseline is judged",
                fmt::format("let `kernelpro work {}` judge it", folder.string()));
  }
  std::vector<OpenAsk> asks;
  while (static_cast<int>(asks.size()) < most && !finished(run)) {
    KP_TRY(auto ask, run.ask());
    if (!ask) break;
    asks.push_back(*std::move(ask));
  }
  return asks;
}

std::vector<OpenAsk> unanswered_asks(const LiveRun& run, int most) {
  std::vector<OpenAsk> asks;
  for (const auto& [id, open] : run.history().open()) {
    if (!open.answered && static_cast<int>(asks.size()) < most) asks.push_back(open);
  }
  return asks;
}

std::optional<search::StopReason> finished(const LiveRun& run) {
  return search::first_reason(search::make_stop_rules(run.settings().stop),
                              run.history().progress());
}

std::string why_none(const LiveRun& run) {
  if (const auto reason = finished(run); reason && reason->rule != "exhausted") {
    return "nothing to ask: " + reason->sentence;
  }
  const std::size_t open = run.history().open().size(), pending = run.history().pending().size();
  if (open + pending == 0) return "nothing to ask: every node is exhausted or dead";
  return fmt::format("nothing to ask now: {} asks are open and {} candidates wait to be judged",
                     open, pending);
}

}  // namespace kp::loop

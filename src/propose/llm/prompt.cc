// SPDX-License-Identifier: Apache-2.0
#include "propose/llm/prompt.h"

#include <fmt/format.h>

#include <algorithm>

#include "assets/prompt_answer.h"
#include "assets/prompt_improve.h"
#include "assets/prompt_repair.h"
#include "assets/prompt_seed.h"
#include "assets/prompt_system.h"
#include "llm/chat_json.h"
#include "propose/llm/feedback.h"
#include "propose/llm/history_text.h"
#include "propose/llm/sections.h"
#include "propose/llm/task_text.h"
#include "propose/llm/template.h"
#include "propose/llm/tokens.h"
#include "propose/llm/verdict_text.h"

namespace kp::propose {
namespace {

// What each section keeps at least, in tokens, however little room there is.
constexpr std::size_t kLeastFeedback = 800;
constexpr std::size_t kLeastHistory = 250;
constexpr std::size_t kLeastVerdict = 500;
constexpr std::size_t kUsualSource = 2500;  // a longer source does not take room from the others

bool names_actions(const PromptOptions& options) {
  return options.arm == Arm::kTools || options.arm == Arm::kPlacebo;
}

std::string lead_of(const PromptOptions& options) {
  if (options.arm == Arm::kNone) return "Think about what bounds it on this device.";
  if (options.invocation == Invocation::kReactive) {
    return "Call `diagnose` to learn what bounds it.";
  }
  return options.arm == Arm::kTools ? "Begin with what promises most."
                                    : "Begin with what seems to bound it.";
}

std::string seed_line(const Request& request) {
  const auto tried = request.attempts.size();
  if (tried == 0) return "";
  return fmt::format(" {} {} tried already: take another approach.", tried,
                     tried == 1 ? "version was" : "versions were");
}

std::string role_text(const Request& request, const PromptOptions& options) {
  switch (request.role) {
    case search::Role::kSeed:
      return fill_template(assets::prompt_seed, {{"seed", seed_line(request)}});
    case search::Role::kRepair:
      return std::string(assets::prompt_repair);
    case search::Role::kImprove:
      break;
  }
  return fill_template(assets::prompt_improve, {{"lead", lead_of(options)}});
}

std::string answer_text(const Request& request, const PromptOptions& options) {
  const bool follows = names_actions(options) && request.diagnosis;
  return fill_template(
      assets::prompt_answer,
      {{"count", request.most == 1
                     ? "One candidate."
                     : fmt::format("Up to {} candidates that differ in approach.", request.most)},
       {"follows",
        follows ? "\nfollows: THE ACTION IN BRACKETS THAT IT CARRIES OUT, OR none" : ""}});
}

Result<std::string> feedback(const Request& request, const PromptOptions& options) {
  if (options.invocation == Invocation::kReactive) return std::string();
  return matched_feedback(options.arm, request);
}

std::string history(const Request& request, const PromptOptions& options) {
  return options.memory ? history_text(request) : std::string();
}

/// A blank line in front of each section that says something.
std::string joined(const std::vector<Section>& sections) {
  std::string text;
  for (const Section& section : sections) {
    if (section.text.empty()) continue;
    if (!text.empty()) text += '\n';
    text += section.text;
  }
  return text;
}

std::string system_text(const Request& request) {
  return fill_template(assets::prompt_system,
                       {{"task", task_text(request.task)},
                        {"hardware", request.spec ? hardware_text(*request.spec) : ""}});
}

Result<std::vector<Section>> sections_of(const Request& request, const PromptOptions& options) {
  KP_TRY(const std::string reference, reference_text(request.task));
  KP_TRY(const std::string told, feedback(request, options));
  const std::string source =
      request.parent ? shortened(source_text(*request.parent), options.most_source_tokens) : "";
  return std::vector<Section>{{"contract", system_text(request), 0, 0},
                              {"reference", reference, 3, 0},
                              {"source", source, 0, 0},
                              {"verdict", verdict_text(request), 1, kLeastVerdict},
                              {"feedback", told, 2, kLeastFeedback},
                              {"history", history(request, options), 4, kLeastHistory},
                              {"role", role_text(request, options), 0, 0},
                              {"answer", answer_text(request, options), 0, 0}};
}

}  // namespace

Result<llm::Prompt> write_prompt(const Request& request, const PromptOptions& options) {
  KP_TRY(auto sections, sections_of(request, options));
  const std::size_t source = estimate_tokens(sections[2].text);
  fit(sections, options.most_tokens + (source > kUsualSource ? source - kUsualSource : 0));
  llm::Prompt prompt;
  prompt.system = sections[0].text + sections[1].text;
  llm::Message message;
  message.text = joined({sections.begin() + 2, sections.end()});
  prompt.messages.push_back(std::move(message));
  prompt.sampling.temperature = options.temperature;
  return prompt;
}

std::string to_text(const llm::Prompt& prompt) {
  std::string text = prompt.system;
  for (const llm::Message& message : prompt.messages) text += "\n" + message.text;
  return text;
}

nlohmann::json to_json(const llm::Prompt& prompt, const Request& request) {
  return {{"task", request.task.name},
          {"role", name_of(request.role)},
          {"estimated_tokens", estimate_tokens(prompt)},
          {"prompt", llm::to_json(prompt)}};
}

std::size_t estimate_tokens(const llm::Prompt& prompt) { return estimate_tokens(to_text(prompt)); }

}  // namespace kp::propose

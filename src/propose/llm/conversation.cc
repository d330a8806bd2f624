// SPDX-License-Identifier: Apache-2.0
#include "propose/llm/conversation.h"

#include <fmt/format.h>

namespace kp::propose {
namespace {

constexpr const char* kAnswerNow = "no more calls are left: answer now, with your candidates";

}  // namespace

Conversation::Conversation(llm::Chat& chat, llm::Prompt prompt, ModelTools& tools,
                           const TurnLimits& limits)
    : chat_(chat), prompt_(std::move(prompt)), tools_(tools), left_(limits) {
  for (const auto& tool : tools_) prompt_.tools.push_back(tool->about());
}

void Conversation::count(const llm::Usage& usage) {
  left_.tokens -= usage.input + usage.cache_read + usage.cache_written + usage.output;
  --left_.turns;
}

Result<Said> Conversation::listen(const StopFlag& stop) {
  while (true) {
    if (left_.turns <= 0 || left_.tokens <= 0) return Said{.cut = true};
    KP_TRY(const llm::Reply reply, chat_.complete(prompt_, stop));
    count(reply.usage);
    prompt_.messages.push_back(reply.message);
    if (reply.message.calls.empty()) return Said{reply.message.text, reply.stop, false};
    llm::Message results;
    results.results = answer(reply.message.calls);
    prompt_.messages.push_back(std::move(results));
  }
}

void Conversation::say(std::string text) {
  llm::Message message;
  message.text = std::move(text);
  prompt_.messages.push_back(std::move(message));
}

std::vector<llm::ToolResult> Conversation::answer(const std::vector<llm::ToolCall>& calls) {
  std::vector<llm::ToolResult> results;
  for (const llm::ToolCall& call : calls) results.push_back(answer(call));
  return results;
}

llm::ToolResult Conversation::answer(const llm::ToolCall& call) {
  if (--left_.calls < 0) return {call.id, kAnswerNow, true};
  if (!call.arguments.is_object()) return {call.id, "the arguments are no JSON object", true};
  for (const auto& tool : tools_) {
    if (tool->about().name != call.name) continue;
    const auto text = tool->call(call.arguments);
    return text ? llm::ToolResult{call.id, *text, false}
                : llm::ToolResult{call.id, text.error().text(), true};
  }
  return {call.id, fmt::format("there is no tool `{}`", call.name), true};
}

}  // namespace kp::propose

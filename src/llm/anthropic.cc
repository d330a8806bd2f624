// SPDX-License-Identifier: Apache-2.0
// Anthropic's Messages API, version 2023-06-01: what is sent.
#include <algorithm>
#include <array>

#include "llm/dialect.h"
#include "llm/foreign_json.h"
#include "llm/service.h"

namespace kp::llm {
namespace {

using Json = nlohmann::json;

constexpr const char* kVersion = "anthropic-version: 2023-06-01";

// Models of before 2026 think with a budget of tokens, later ones with an effort; some take no
// temperature, some none beside thinking.
constexpr std::array kComplaints{
    Complaint{"temperature", "temperature"}, Complaint{"output_config", "effort"},
    Complaint{"effort", "effort"},           Complaint{"adaptive", "effort"},
    Complaint{"budget_tokens", "budget"},    Complaint{"thinking", "budget"},
};
constexpr DialectFacts kFacts{
    "anthropic", "https://api.anthropic.com", {"ANTHROPIC_API_KEY", "anthropic"}, kComplaints};

// Tokens of thinking for an effort, where the model wants a number. The smallest that it takes is
// 1024, and the reply itself needs room in the same bound.
constexpr int kLeastBudget = 1024;
struct Effort {
  std::string_view name;
  int tokens;
};
constexpr std::array kEfforts{Effort{"low", 2048}, Effort{"medium", 8192}, Effort{"high", 16384}};

Json text_block(const std::string& text) { return {{"type", "text"}, {"text", text}}; }

Json user_blocks(const Message& message) {
  Json blocks = Json::array();
  for (const ToolResult& result : message.results) {
    blocks.push_back({{"type", "tool_result"},
                      {"tool_use_id", result.call},
                      {"content", result.text},
                      {"is_error", result.failed}});
  }
  if (!message.text.empty()) blocks.push_back(text_block(message.text));
  return blocks;
}

Json assistant_blocks(const Message& message) {
  if (message.carried.is_object() && message.carried.contains("anthropic")) {
    return message.carried["anthropic"];
  }
  Json blocks = Json::array();
  if (!message.text.empty()) blocks.push_back(text_block(message.text));
  for (const ToolCall& call : message.calls) {
    blocks.push_back({{"type", "tool_use"},
                      {"id", call.id},
                      {"name", call.name},
                      {"input", arguments_object(call.arguments)}});
  }
  // The server takes no empty message.
  if (blocks.empty()) blocks.push_back(text_block("(nothing)"));
  return blocks;
}

Json messages_of(const Prompt& prompt) {
  Json list = Json::array();
  for (const Message& message : prompt.messages) {
    const bool user = message.speaker == Speaker::kUser;
    list.push_back({{"role", user ? "user" : "assistant"},
                    {"content", user ? user_blocks(message) : assistant_blocks(message)}});
  }
  return list;
}

void add_tools(const Prompt& prompt, Json& body) {
  for (const Tool& tool : prompt.tools) {
    body["tools"].push_back(
        {{"name", tool.name}, {"description", tool.description}, {"input_schema", tool.schema}});
  }
}

int budget_of(const Sampling& sampling) {
  for (const Effort& effort : kEfforts) {
    if (effort.name == sampling.effort) {
      return std::min(effort.tokens, sampling.most_output_tokens - kLeastBudget);
    }
  }
  return 0;
}

void add_thinking(const Sampling& sampling, const Parameters& dropped, Json& body) {
  if (sampling.effort.empty()) return;
  if (!dropped.contains("effort")) {
    body["thinking"] = {{"type", "adaptive"}};
    body["output_config"] = {{"effort", sampling.effort}};
  } else if (const int budget = budget_of(sampling);
             budget >= kLeastBudget && !dropped.contains("budget")) {
    body["thinking"] = {{"type", "enabled"}, {"budget_tokens", budget}};
  }
}

class Anthropic final : public Dialect {
 public:
  const DialectFacts& facts() const override { return kFacts; }

  std::string url(const Endpoint& endpoint) const override {
    return endpoint.url + (endpoint.url.ends_with("/v1") ? "/messages" : "/v1/messages");
  }

  std::vector<std::string> headers(const Secret& key) const override {
    if (key.empty()) return {kVersion};
    return {kVersion, "x-api-key: " + key.reveal()};
  }

  Json request(const Prompt& prompt, const Endpoint& endpoint,
               const Parameters& dropped) const override {
    const Sampling& sampling = prompt.sampling;
    Json body{{"model", endpoint.model},
              {"max_tokens", sampling.most_output_tokens},
              {"stream", true},
              {"messages", messages_of(prompt)}};
    if (!prompt.system.empty()) {
      // The prefix up to here, tools included, is the same in every call of a run.
      Json system = text_block(prompt.system);
      system["cache_control"] = {{"type", "ephemeral"}};
      body["system"] = Json::array({system});
    }
    add_tools(prompt, body);
    if (sampling.temperature && !dropped.contains("temperature")) {
      body["temperature"] = std::clamp(*sampling.temperature, 0.0, 1.0);  // the range that it takes
    }
    add_thinking(sampling, dropped, body);
    return body;
  }

  std::unique_ptr<ReplyReader> reader() const override { return make_anthropic_reader(); }
};

}  // namespace

std::unique_ptr<Dialect> make_anthropic_dialect() { return std::make_unique<Anthropic>(); }

Result<std::unique_ptr<Chat>> make_anthropic(const std::string& text, const ChatOptions& options) {
  return open_service(make_anthropic_dialect(), text, options);
}

}  // namespace kp::llm

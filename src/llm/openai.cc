// SPDX-License-Identifier: Apache-2.0
// OpenAI's Chat Completions, which vLLM, llama.cpp, Ollama and gateways speak too: what is sent.
#include <array>

#include "llm/chat_json.h"
#include "llm/dialect.h"
#include "llm/foreign_json.h"
#include "llm/service.h"

namespace kp::llm {
namespace {

using Json = nlohmann::json;

constexpr std::array kComplaints{
    Complaint{"temperature", "temperature"},
    Complaint{"reasoning_effort", "reasoning_effort"},
    Complaint{"max_tokens", "max_tokens"},
    Complaint{"stream_options", "stream_options"},
};
constexpr DialectFacts kFacts{
    "openai", "https://api.openai.com/v1", {"OPENAI_API_KEY", "openai"}, kComplaints};

Json tool_calls(const Message& message) {
  Json list = Json::array();
  for (const ToolCall& call : message.calls) {
    list.push_back(
        {{"id", call.id},
         {"type", "function"},
         {"function",
          {{"name", call.name}, {"arguments", one_line(arguments_object(call.arguments))}}}});
  }
  return list;
}

Json assistant_message(const Message& message) {
  Json json{{"role", "assistant"}, {"content", message.text}};
  if (message.calls.empty()) return json;
  json["tool_calls"] = tool_calls(message);
  if (message.text.empty()) json["content"] = nullptr;
  // Servers that show their reasoning want it back between calls, and only there.
  if (message.carried.is_object() && message.carried.contains("openai") &&
      message.carried["openai"].is_object()) {
    json.update(message.carried["openai"]);
  }
  return json;
}

void add_user_messages(const Message& message, Json& list) {
  for (const ToolResult& result : message.results) {
    list.push_back({{"role", "tool"},
                    {"tool_call_id", result.call},
                    {"content", result.failed ? "failed: " + result.text : result.text}});
  }
  if (!message.text.empty()) list.push_back({{"role", "user"}, {"content", message.text}});
}

Json messages_of(const Prompt& prompt) {
  Json list = Json::array();
  if (!prompt.system.empty()) list.push_back({{"role", "system"}, {"content", prompt.system}});
  for (const Message& message : prompt.messages) {
    if (message.speaker == Speaker::kUser) {
      add_user_messages(message, list);
    } else {
      list.push_back(assistant_message(message));
    }
  }
  return list;
}

void add_tools(const Prompt& prompt, Json& body) {
  for (const Tool& tool : prompt.tools) {
    body["tools"].push_back(
        {{"type", "function"},
         {"function",
          {{"name", tool.name}, {"description", tool.description}, {"parameters", tool.schema}}}});
  }
}

/// OpenAI's own models know only the newer name; many other servers know only the older one, and
/// would ignore the newer without a word.
const char* bound_name(const Endpoint& endpoint, const Parameters& dropped) {
  const bool newer = endpoint.host == "api.openai.com" || dropped.contains("max_tokens");
  return newer ? "max_completion_tokens" : "max_tokens";
}

class OpenAi final : public Dialect {
 public:
  const DialectFacts& facts() const override { return kFacts; }

  std::string url(const Endpoint& endpoint) const override {
    return endpoint.url + "/chat/completions";
  }

  std::vector<std::string> headers(const Secret& key) const override {
    if (key.empty()) return {};
    return {"Authorization: Bearer " + key.reveal()};
  }

  Json request(const Prompt& prompt, const Endpoint& endpoint,
               const Parameters& dropped) const override {
    const Sampling& sampling = prompt.sampling;
    Json body{{"model", endpoint.model}, {"stream", true}, {"messages", messages_of(prompt)}};
    body[bound_name(endpoint, dropped)] = sampling.most_output_tokens;
    if (!dropped.contains("stream_options")) body["stream_options"] = {{"include_usage", true}};
    add_tools(prompt, body);
    if (sampling.temperature && !dropped.contains("temperature")) {
      body["temperature"] = *sampling.temperature;
    }
    if (!sampling.effort.empty() && !dropped.contains("reasoning_effort")) {
      body["reasoning_effort"] = sampling.effort;
    }
    return body;
  }

  std::unique_ptr<ReplyReader> reader() const override { return make_openai_reader(); }
};

}  // namespace

std::unique_ptr<Dialect> make_openai_dialect() { return std::make_unique<OpenAi>(); }

Result<std::unique_ptr<Chat>> make_openai(const std::string& text, const ChatOptions& options) {
  return open_service(make_openai_dialect(), text, options);
}

}  // namespace kp::llm

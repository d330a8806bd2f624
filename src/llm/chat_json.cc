// SPDX-License-Identifier: Apache-2.0
#include "llm/chat_json.h"

#include <fmt/format.h>

#include "base/hash.h"
#include "model/json_reader.h"

namespace kp::llm {
namespace {

using Json = nlohmann::json;

constexpr auto kReasons = {StopReason::kEnd, StopReason::kToolUse, StopReason::kLength,
                           StopReason::kRefusal};

Json to_json(const ToolCall& call) {
  return {{"id", call.id}, {"name", call.name}, {"arguments", call.arguments}};
}

Json to_json(const std::vector<ToolCall>& calls) {
  Json list = Json::array();
  for (const ToolCall& call : calls) list.push_back(to_json(call));
  return list;
}

Json to_json(const Message& message) {
  Json json{{"speaker", message.speaker == Speaker::kUser ? "user" : "assistant"},
            {"text", message.text}};
  if (!message.calls.empty()) json["calls"] = to_json(message.calls);
  for (const ToolResult& result : message.results) {
    json["results"].push_back(
        {{"call", result.call}, {"text", result.text}, {"failed", result.failed}});
  }
  if (!message.carried.is_null()) json["carried"] = message.carried;
  return json;
}

Json to_json(const Sampling& sampling) {
  Json json{{"most_output_tokens", sampling.most_output_tokens}, {"effort", sampling.effort}};
  if (sampling.temperature) json["temperature"] = *sampling.temperature;
  return json;
}

std::string text_or_empty(const JsonReader& reader, const char* key) {
  return reader.has(key) ? reader.text(key) : std::string();
}

std::vector<ToolCall> calls_from(const JsonReader& reader) {
  std::vector<ToolCall> calls;
  if (!reader.has("calls")) return calls;
  reader.each("calls", [&](const JsonReader& call) {
    std::string id = text_or_empty(call, "id");
    if (id.empty()) id = fmt::format("call_{}", calls.size() + 1);
    Json arguments = call.has("arguments") ? call.json().at("arguments") : Json::object();
    if (!arguments.is_object() && !arguments.is_string()) {
      call.wrong("arguments", "an object, or the text that was no object");
    }
    calls.push_back({std::move(id), call.text("name"), std::move(arguments)});
  });
  return calls;
}

Usage usage_from(const JsonReader& reader) {
  if (!reader.has("usage")) return {};
  const JsonReader usage = reader.object("usage");
  const auto count = [&](const char* key) -> std::int64_t {
    if (!usage.has(key)) return 0;
    const std::int64_t value = usage.integer(key);
    if (value < 0) usage.wrong(key, "a number of tokens");
    return value;
  };
  return {.input = count("input"),
          .cache_read = count("cache_read"),
          .cache_written = count("cache_written"),
          .output = count("output"),
          .counted = !usage.has("counted") || usage.flag("counted")};
}

StopReason stop_from(const JsonReader& reader, bool calls) {
  if (reader.has("stop")) return reader.choice("stop", kReasons);
  return calls ? StopReason::kToolUse : StopReason::kEnd;
}

}  // namespace

std::string_view name_of(StopReason reason) {
  switch (reason) {
    case StopReason::kToolUse:
      return "tool_use";
    case StopReason::kLength:
      return "length";
    case StopReason::kRefusal:
      return "refusal";
    case StopReason::kEnd:
      break;
  }
  return "end";
}

Json to_json(const Reply& reply) {
  Json json{{"text", reply.message.text},
            {"stop", name_of(reply.stop)},
            {"model", reply.model},
            {"usage",
             {{"input", reply.usage.input},
              {"cache_read", reply.usage.cache_read},
              {"cache_written", reply.usage.cache_written},
              {"output", reply.usage.output}}}};
  if (!reply.usage.counted) json["usage"]["counted"] = false;
  if (!reply.message.calls.empty()) json["calls"] = to_json(reply.message.calls);
  if (!reply.message.carried.is_null()) json["carried"] = reply.message.carried;
  return json;
}

Result<Reply> reply_from_json(const Json& json) {
  JsonReader::Fault fault;
  const JsonReader reader(json, "reply", fault);
  Reply reply;
  reply.message.speaker = Speaker::kAssistant;
  reply.message.text = text_or_empty(reader, "text");
  reply.message.calls = calls_from(reader);
  if (reader.has("carried")) reply.message.carried = json.at("carried");
  reply.stop = stop_from(reader, !reply.message.calls.empty());
  reply.usage = usage_from(reader);
  reply.model = text_or_empty(reader, "model");
  return value_or_fault(std::move(reply), std::move(fault));
}

Json to_json(const Prompt& prompt) {
  Json json{{"system", prompt.system}, {"sampling", to_json(prompt.sampling)}};
  json["messages"] = Json::array();
  for (const Message& message : prompt.messages) json["messages"].push_back(to_json(message));
  for (const Tool& tool : prompt.tools) {
    json["tools"].push_back(
        {{"name", tool.name}, {"description", tool.description}, {"schema", tool.schema}});
  }
  return json;
}

std::string digest_of(const Prompt& prompt) { return content_address({one_line(to_json(prompt))}); }

std::string one_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace kp::llm

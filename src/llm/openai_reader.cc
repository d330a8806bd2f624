// SPDX-License-Identifier: Apache-2.0
// OpenAI's Chat Completions: the chunks of a streamed reply.
#include <fmt/format.h>

#include <algorithm>

#include "llm/dialect.h"
#include "llm/foreign_json.h"
#include "model/json_reader.h"

namespace kp::llm {
namespace {

using Json = nlohmann::json;

/// A call, and the text of its arguments as far as it has come.
struct OpenCall {
  std::int64_t index = 0;
  std::string id, name, arguments;
};

// As DeepSeek and llama.cpp call it, and vLLM and OpenRouter.
constexpr const char* kReasoning[] = {"reasoning_content", "reasoning"};

std::int64_t count(const JsonReader& reader, const char* key) {
  return reader.has(key) ? std::max<std::int64_t>(0, reader.integer(key)) : 0;
}

/// What was read from a cache and written to one is part of the prompt's tokens here.
Usage usage_of(const JsonReader& reader) {
  Usage usage;
  usage.output = count(reader, "completion_tokens");
  if (reader.has("prompt_tokens_details")) {
    const JsonReader details = reader.object("prompt_tokens_details");
    usage.cache_read = count(details, "cached_tokens");
    usage.cache_written = count(details, "cache_write_tokens");
  }
  usage.input = std::max<std::int64_t>(
      0, count(reader, "prompt_tokens") - usage.cache_read - usage.cache_written);
  return usage;
}

class OpenAiReader final : public ReplyReader {
 public:
  OpenAiReader() {
    reply_.message.speaker = Speaker::kAssistant;
    reply_.usage.counted = false;
  }

  std::optional<Trouble> take(const std::string& data) override;
  bool complete() const override { return done_ || finished_; }
  Reply reply() const override;

 private:
  void take_chunk(const JsonReader& chunk);
  void take_delta(const JsonReader& delta);
  void take_call(const JsonReader& call);
  OpenCall& open_call(const JsonReader& call);
  void take_finish(const std::string& reason);

  Reply reply_;
  std::vector<OpenCall> calls_;
  Json carried_ = Json::object();
  bool done_ = false;      // [DONE]
  bool finished_ = false;  // a finish_reason; usage may still follow
};

std::optional<Trouble> OpenAiReader::take(const std::string& data) {
  if (data == "[DONE]") {
    done_ = true;
    return std::nullopt;
  }
  const auto json = parse_foreign(data);
  if (!json || !json->is_object()) return malformed("an event is no JSON object");
  if (const auto error = json->find("error"); error != json->end() && !error->is_null()) {
    return reported(*json);
  }
  JsonReader::Fault fault;
  take_chunk(JsonReader(*json, "chunk", fault));
  if (fault) return malformed(fault->message);
  return std::nullopt;
}

void OpenAiReader::take_chunk(const JsonReader& chunk) {
  if (chunk.has("model")) reply_.model = chunk.text("model");
  if (chunk.has("usage")) reply_.usage = usage_of(chunk.object("usage"));
  if (!chunk.has("choices")) return;
  chunk.each("choices", [&](const JsonReader& choice) {
    if (count(choice, "index") != 0) return;
    if (choice.has("delta")) take_delta(choice.object("delta"));
    if (choice.has("finish_reason")) take_finish(choice.text("finish_reason"));
  });
}

void OpenAiReader::take_delta(const JsonReader& delta) {
  if (delta.has("content")) reply_.message.text += delta.text("content");
  if (delta.has("refusal")) {
    reply_.message.text += delta.text("refusal");
    reply_.stop = StopReason::kRefusal;
  }
  for (const char* key : kReasoning) {
    if (!delta.has(key)) continue;
    Json& text = carried_[key];
    if (!text.is_string()) text = "";
    text.get_ref<std::string&>() += delta.text(key);
  }
  if (delta.has("tool_calls")) {
    delta.each("tool_calls", [&](const JsonReader& call) { take_call(call); });
  }
}

OpenCall& OpenAiReader::open_call(const JsonReader& call) {
  // Some servers number no calls: an id starts one, and what has none goes on with the last.
  const bool starts = call.has("id") && !call.text("id").empty();
  const auto next = static_cast<std::int64_t>(calls_.size());
  const std::int64_t index = call.has("index") ? call.integer("index")
                             : starts          ? next
                                               : std::max<std::int64_t>(0, next - 1);
  const auto found = std::find_if(calls_.begin(), calls_.end(),
                                  [index](const OpenCall& open) { return open.index == index; });
  return found != calls_.end() ? *found : calls_.emplace_back(OpenCall{.index = index});
}

void OpenAiReader::take_call(const JsonReader& call) {
  OpenCall& open = open_call(call);
  if (call.has("id") && open.id.empty()) open.id = call.text("id");
  if (!call.has("function")) return;
  const JsonReader function = call.object("function");
  if (function.has("name") && open.name.empty()) open.name = function.text("name");
  if (function.has("arguments")) open.arguments += function.text("arguments");
}

void OpenAiReader::take_finish(const std::string& reason) {
  finished_ = true;
  if (reason == "length") reply_.stop = StopReason::kLength;
  if (reason == "content_filter") reply_.stop = StopReason::kRefusal;
  if (reason == "tool_calls") reply_.stop = StopReason::kToolUse;
}

Reply OpenAiReader::reply() const {
  Reply reply = reply_;
  for (const OpenCall& open : calls_) {
    const std::string id =
        open.id.empty() ? fmt::format("call_{}", reply.message.calls.size() + 1) : open.id;
    reply.message.calls.push_back({id, open.name, arguments_from(open.arguments)});
  }
  // Some servers end a turn with calls with "stop".
  if (reply.stop == StopReason::kEnd && !calls_.empty()) reply.stop = StopReason::kToolUse;
  if (!carried_.empty()) reply.message.carried = {{"openai", carried_}};
  return reply;
}

}  // namespace

std::unique_ptr<ReplyReader> make_openai_reader() { return std::make_unique<OpenAiReader>(); }

}  // namespace kp::llm

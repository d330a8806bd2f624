// SPDX-License-Identifier: Apache-2.0
// Anthropic's Messages API: the events of a streamed reply.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "llm/chat_json.h"
#include "llm/dialect.h"
#include "llm/foreign_json.h"
#include "model/json_reader.h"

namespace kp::llm {
namespace {

using Json = nlohmann::json;

/// A content block, and the text of its arguments as far as it has come.
struct Block {
  Json json;
  std::string arguments;
};

StopReason stop_reason_of(const std::string& name) {
  if (name == "tool_use") return StopReason::kToolUse;
  if (name == "max_tokens" || name == "model_context_window_exceeded") return StopReason::kLength;
  if (name == "refusal") return StopReason::kRefusal;
  return StopReason::kEnd;
}

/// Later counts replace earlier ones.
void read_usage(const JsonReader& holder, Usage& usage) {
  if (!holder.has("usage")) return;
  const JsonReader reader = holder.object("usage");
  const auto count = [&](const char* key, std::int64_t& into) {
    if (reader.has(key)) into = std::max<std::int64_t>(0, reader.integer(key));
  };
  count("input_tokens", usage.input);
  count("cache_read_input_tokens", usage.cache_read);
  count("cache_creation_input_tokens", usage.cache_written);
  count("output_tokens", usage.output);
  usage.counted = true;
}

class AnthropicReader final : public ReplyReader {
 public:
  AnthropicReader() {
    reply_.message.speaker = Speaker::kAssistant;
    reply_.usage.counted = false;
  }

  std::optional<Trouble> take(const std::string& data) override {
    const auto json = parse_foreign(data);
    if (!json) return malformed("an event is no JSON");
    JsonReader::Fault fault;
    const JsonReader event(*json, "event", fault);
    const std::string type = event.text("type");
    if (type == "error") return reported(*json);
    take_event(type, event);
    if (fault) return malformed(fault->message);
    return std::nullopt;
  }

  bool complete() const override { return complete_; }
  Reply reply() const override;

 private:
  void take_event(const std::string& type, const JsonReader& event);
  void take_delta(const JsonReader& event);
  void take_end(const JsonReader& event);

  Reply reply_;
  std::map<std::int64_t, Block> blocks_;
  std::string explanation_;  // of a refusal
  bool complete_ = false;
};

void AnthropicReader::take_event(const std::string& type, const JsonReader& event) {
  if (type == "message_start") {
    const JsonReader message = event.object("message");
    if (message.has("model")) reply_.model = message.text("model");
    read_usage(message, reply_.usage);
  } else if (type == "content_block_start") {
    blocks_[event.integer("index")] = {event.object("content_block").json(), {}};
  } else if (type == "content_block_delta") {
    take_delta(event);
  } else if (type == "message_delta") {
    take_end(event);
  } else if (type == "message_stop") {
    complete_ = true;
  }
  // Pings, and what later versions of the API add.
}

void AnthropicReader::take_delta(const JsonReader& event) {
  Block& block = blocks_[event.integer("index")];
  const JsonReader delta = event.object("delta");
  const std::string type = delta.text("type");
  const auto append = [&](const char* key) {
    if (!block.json.is_object()) return event.wrong("index", "the number of a block that started");
    Json& text = block.json[key];
    if (!text.is_string()) text = "";
    text.get_ref<std::string&>() += delta.text(key);
  };
  if (type == "text_delta") append("text");
  if (type == "thinking_delta") append("thinking");
  if (type == "signature_delta") append("signature");
  if (type == "input_json_delta") block.arguments += delta.text("partial_json");
}

void AnthropicReader::take_end(const JsonReader& event) {
  read_usage(event, reply_.usage);
  const JsonReader delta = event.object("delta");
  if (delta.has("stop_reason")) reply_.stop = stop_reason_of(delta.text("stop_reason"));
  if (!delta.has("stop_details")) return;
  const JsonReader details = delta.object("stop_details");
  if (details.has("explanation")) explanation_ = details.text("explanation");
}

std::string text_of(const Json& block, const char* key) {
  const auto found = block.find(key);
  return found != block.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// Whether the reply can be sent back from text and calls alone.
bool is_plain(const std::string& type) { return type == "text" || type == "tool_use"; }

Reply AnthropicReader::reply() const {
  Reply reply = reply_;
  Json carried = Json::array();
  bool plain = true;
  for (const auto& [index, block] : blocks_) {
    if (!block.json.is_object()) continue;
    Json json = block.json;
    const std::string type = text_of(json, "type");
    plain = plain && is_plain(type);
    if (type == "text") reply.message.text += text_of(json, "text");
    if (type == "tool_use") {
      const Json whole = json.value("input", Json::object());
      Json arguments = arguments_from(block.arguments.empty() ? one_line(whole) : block.arguments);
      json["input"] = arguments_object(arguments);
      reply.message.calls.push_back(
          {text_of(json, "id"), text_of(json, "name"), std::move(arguments)});
    }
    // The server refuses to have empty texts back.
    if (type != "text" || !text_of(json, "text").empty()) carried.push_back(std::move(json));
  }
  if (!plain) reply.message.carried = {{"anthropic", std::move(carried)}};
  if (reply.stop == StopReason::kRefusal && reply.message.text.empty()) {
    reply.message.text = explanation_;
  }
  return reply;
}

}  // namespace

std::unique_ptr<ReplyReader> make_anthropic_reader() { return std::make_unique<AnthropicReader>(); }

}  // namespace kp::llm

// SPDX-License-Identifier: Apache-2.0
// A conversation with a language model, whoever serves it. catalog.cc lists the clients.
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/stop.h"

namespace kp::llm {

/// Something that the model may call; `schema` is the JSON Schema of its arguments.
struct Tool {
  std::string name, description;
  nlohmann::json schema;
};
struct ToolCall {
  std::string id, name;
  nlohmann::json arguments;  // an object; a string with the raw text when it was no JSON object
};
struct ToolResult {
  std::string call;  // ToolCall::id
  std::string text;
  bool failed = false;
};

enum class Speaker { kUser, kAssistant };
struct Message {
  Speaker speaker = Speaker::kUser;
  std::string text;
  std::vector<ToolCall> calls;      // of the assistant
  std::vector<ToolResult> results;  // of the user, each for a call before it
  /// The server's own blocks (reasoning) that it wants back unchanged: a message that has them goes
  /// back as it came, whatever text and calls say. Other kinds of servers do not get them.
  nlohmann::json carried;
};

struct Sampling {
  std::optional<double> temperature;  // absent: the server's default
  int most_output_tokens = 16384;
  std::string effort;  // reasoning: "" for the server's default, else "low", "medium", "high"
};

struct Prompt {
  std::string system;
  std::vector<Message> messages;
  std::vector<Tool> tools;
  Sampling sampling;
};

enum class StopReason {
  kEnd,
  kToolUse,
  kLength,   // most_output_tokens, or the context is full
  kRefusal,  // the model or its server declines
};

/// Tokens, as the server counts them, those of attempts that broke off among them. `input` is
/// without what was read from or written to a cache.
struct Usage {
  std::int64_t input = 0, cache_read = 0, cache_written = 0, output = 0;
  bool counted = true;  // false: the server did not say
};

struct Reply {
  Message message;
  StopReason stop = StopReason::kEnd;
  Usage usage;
  std::string model;  // as the server names it
};

/// May be used by several threads at once.
class Chat {
 public:
  virtual ~Chat() = default;
  /// "anthropic:MODEL", "openai:MODEL@URL", "scripted:FILE", "replay:FILE": never a key.
  virtual std::string_view name() const = 0;
  /// One turn. Errors: kTimeout and kUnavailable after the retries, kInvalidInput for what the
  /// server refuses for good (key, model, size of the prompt), kLimit when the budget is spent.
  /// Ends soon after `stop` was requested.
  virtual Result<Reply> complete(const Prompt& prompt, const StopFlag& stop) = 0;
};

}  // namespace kp::llm

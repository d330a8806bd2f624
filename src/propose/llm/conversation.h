// SPDX-License-Identifier: Apache-2.0
// The turns with a model until it has nothing more to call: bounded in turns, calls and tokens.
#pragma once
#include <cstdint>
#include <string>

#include "llm/chat.h"
#include "propose/llm/model_tools.h"

namespace kp::propose {

struct TurnLimits {
  int turns = 24;                   // of one ask
  int calls = 24;                   // of tools, in one ask
  std::int64_t tokens = 1'000'000;  // read and written, in one ask
};

/// What a model says when it calls nothing.
struct Said {
  std::string text;
  llm::StopReason stop = llm::StopReason::kEnd;
  bool cut = false;  // a limit ended the turns before the model did
};

class Conversation {
 public:
  /// All must outlive the conversation.
  Conversation(llm::Chat& chat, llm::Prompt prompt, ModelTools& tools,
               const TurnLimits& limits = {});
  /// Takes turns until the model calls no tool. Errors: the chat's.
  Result<Said> listen(const StopFlag& stop);
  /// What the model hears next.
  void say(std::string text);

 private:
  std::vector<llm::ToolResult> answer(const std::vector<llm::ToolCall>& calls);
  llm::ToolResult answer(const llm::ToolCall& call);
  void count(const llm::Usage& usage);

  llm::Chat& chat_;
  llm::Prompt prompt_;
  ModelTools& tools_;
  TurnLimits left_;
};

}  // namespace kp::propose

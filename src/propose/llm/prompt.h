// SPDX-License-Identifier: Apache-2.0
// What a model, an agent or a person is asked, from a request. The same request gives the same
// text. Its parts and how they share the room: docs/proposers.md.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "llm/chat.h"
#include "propose/proposer.h"

namespace kp::propose {

struct PromptOptions {
  Arm arm = Arm::kTools;
  Invocation invocation = Invocation::kProactive;
  bool memory = true;
  std::size_t most_tokens = 6000;          // of all but what the source has beyond its usual room
  std::size_t most_source_tokens = 16000;  // of the parent's source; what is longer loses its end
  std::optional<double> temperature;
};

/// `system` holds what stays the same during a run; the one message is about this node. Errors: the
/// arm has nothing to show (Feedback), the reference cannot be read.
Result<llm::Prompt> write_prompt(const Request& request, const PromptOptions& options = {});

/// For people and for programs that read text: everything in order.
std::string to_text(const llm::Prompt& prompt);
/// {"task", "role", "estimated_tokens", "prompt": as llm::to_json}.
nlohmann::json to_json(const llm::Prompt& prompt, const Request& request);

std::size_t estimate_tokens(const llm::Prompt& prompt);

}  // namespace kp::propose

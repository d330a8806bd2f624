// SPDX-License-Identifier: Apache-2.0
// Makers of the chat clients.
#pragma once
#include <memory>
#include <string>

#include "llm/chat.h"

namespace kp::llm {

struct ChatOptions {
  /// Of `scripted`: replies that an earlier process of the same run has had already.
  std::size_t replies_before = 0;
};

/// "scripted:FILE". kNotFound lists the clients that exist.
Result<std::unique_ptr<Chat>> make_chat(const std::string& spec, const ChatOptions& options = {});

/// Hands out the replies of a JSON list in order, whatever it is asked; kLimit when none is left.
/// An entry is a reply as in chat_json.h, or {"fails": "timeout" | "unavailable" |
/// "invalid_input" | "limit", "text": "..."} for a call that fails.
Result<std::unique_ptr<Chat>> make_scripted(const std::string& file, const ChatOptions& options);

}  // namespace kp::llm

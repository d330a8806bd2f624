// SPDX-License-Identifier: Apache-2.0
// Makers of the chat clients.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "llm/chat.h"
#include "llm/clock.h"
#include "llm/retries.h"
#include "llm/transfer.h"

namespace kp::llm {

struct ChatOptions {
  TransferLimits limits;
  RetryPolicy retries;
  std::shared_ptr<Clock> clock;  // of the waits between attempts; empty: the host's
  /// Of `scripted`: replies that an earlier process of the same run has had already.
  std::size_t replies_before = 0;
};

/// "anthropic:MODEL[@URL]", "openai:MODEL[@URL]", "scripted:FILE" or "replay:FILE". kNotFound lists
/// the clients that exist. Nothing is sent yet.
Result<std::unique_ptr<Chat>> make_chat(const std::string& spec, const ChatOptions& options = {});

/// The URL of "anthropic:MODEL@URL" or "openai:MODEL@URL", when it is neither on this machine nor
/// the client's usual server: whose key goes there has to have named it.
std::optional<std::string> foreign_url(const std::string& spec);

Result<std::unique_ptr<Chat>> make_anthropic(const std::string& text, const ChatOptions& options);
Result<std::unique_ptr<Chat>> make_openai(const std::string& text, const ChatOptions& options);

/// Hands out the replies of a JSON list in order, whatever it is asked; kLimit when none is left.
/// An entry is a reply as in chat_json.h, or {"fails": "timeout" | "unavailable" |
/// "invalid_input" | "limit", "text": "..."} for a call that fails.
Result<std::unique_ptr<Chat>> make_scripted(const std::string& file, const ChatOptions& options);

Result<std::unique_ptr<Chat>> make_replay(const std::string& file, const ChatOptions& options);

}  // namespace kp::llm

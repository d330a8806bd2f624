// SPDX-License-Identifier: Apache-2.0
// The JSON form of prompts and replies: what scripts are written in and recordings keep.
//
// A reply: {"text": "...", "calls": [{"id": "...", "name": "...", "arguments": {...}}],
// "stop": "end" | "tool_use" | "length" | "refusal", "usage": {"input": 0, "cache_read": 0,
// "cache_written": 0, "output": 0, "counted": true}, "model": "...", "carried": ...}. Every member
// may be missing: then it is empty or zero, and `stop` is "tool_use" if there are calls and "end"
// if not.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "llm/chat.h"

namespace kp::llm {

std::string_view name_of(StopReason reason);

nlohmann::json to_json(const Reply& reply);
/// kCorrupt names the member that is not what it should be. Calls without an id get "call_1", ...
Result<Reply> reply_from_json(const nlohmann::json& json);

nlohmann::json to_json(const Prompt& prompt);
/// Prompts that differ anywhere have different digests. Bytes that are no UTF-8 count as U+FFFD.
std::string digest_of(const Prompt& prompt);

/// One line of text, whatever bytes the strings hold: what is no UTF-8 becomes U+FFFD.
std::string one_line(const nlohmann::json& json);

}  // namespace kp::llm

// SPDX-License-Identifier: Apache-2.0
// JSON that a server or a model wrote.
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "llm/trouble.h"

namespace kp::llm {

/// Absent when `text` is no JSON, or nests so deeply that working on it would need a deep stack.
std::optional<nlohmann::json> parse_foreign(std::string_view text);

/// The arguments of a call: an object, or the text as it is. No text is an empty object.
nlohmann::json arguments_from(const std::string& text);
/// An object for servers that take nothing else.
nlohmann::json arguments_object(const nlohmann::json& arguments);

/// What went wrong in the server's words: of the error forms in use, else the start of the text.
/// One line of at most 500 bytes without control characters.
std::string complaint_in(const std::string& body);
std::string complaint_in(const nlohmann::json& body);

/// Whether the complaint is that prompt and reply do not fit into the model's context.
bool is_overflow(std::string_view complaint);
/// Whether a filter before the model declined the prompt.
bool is_filtered(std::string_view body);

/// A stream that breaks its own form: another attempt may help.
Trouble malformed(const std::string& why);
/// An error that the server reports in the middle of a stream.
Trouble reported(const nlohmann::json& event);

}  // namespace kp::llm

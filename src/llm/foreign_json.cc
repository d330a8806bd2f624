// SPDX-License-Identifier: Apache-2.0
#include "llm/foreign_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace kp::llm {
namespace {

using Json = nlohmann::json;

constexpr int kDeepest = 100;            // levels; tools of ours need about five
constexpr std::size_t kComplaint = 500;  // bytes
constexpr const char* kShorten = "shorten the prompt, or take a model with a larger context";

// As Anthropic, OpenAI and vLLM, llama.cpp, and others say it.
constexpr std::array<std::string_view, 7> kOverflow{
    "prompt is too long", "context length", "context_length_exceeded", "context window",
    "context size",       "exceed_context", "too many input tokens"};
constexpr std::array<std::string_view, 3> kFilters{"content_filter", "content_policy",
                                                   "content management policy"};
// Kinds of errors that stay when the same request is sent again.
constexpr std::array<std::string_view, 6> kLasting{"invalid_request_error", "authentication_error",
                                                   "permission_error",      "not_found_error",
                                                   "request_too_large",     "billing_error"};

template <std::size_t N>
bool has_any(std::string_view text, const std::array<std::string_view, N>& words) {
  return std::any_of(words.begin(), words.end(), [text](std::string_view word) {
    return text.find(word) != std::string_view::npos;
  });
}

std::string one_clean_line(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = ' ';
  }
  return text.substr(0, kComplaint);
}

const std::string* text_at(const Json& json, const char* key) {
  const auto found = json.is_object() ? json.find(key) : json.end();
  return found != json.end() && found->is_string() ? found->get_ptr<const std::string*>() : nullptr;
}

}  // namespace

std::optional<Json> parse_foreign(std::string_view text) {
  bool deep = false;
  const auto shallow = [&deep](int depth, Json::parse_event_t, Json&) {
    deep = deep || depth > kDeepest;
    return !deep;
  };
  Json json = Json::parse(text, shallow, false);
  if (deep || json.is_discarded()) return std::nullopt;
  return json;
}

Json arguments_from(const std::string& text) {
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) return Json::object();
  auto json = parse_foreign(text);
  return json && json->is_object() ? *std::move(json) : Json(text);
}

Json arguments_object(const Json& arguments) {
  return arguments.is_object() ? arguments : Json{{"unparsed", arguments}};
}

std::string complaint_in(const Json& body) {
  // {"error": {"message": ...}}, {"error": "..."}, {"message": ...}, {"detail": "..."}
  if (body.is_object() && body.contains("error") && text_at(body["error"], "message")) {
    return one_clean_line(*text_at(body["error"], "message"));
  }
  for (const char* key : {"error", "message", "detail"}) {
    if (const std::string* text = text_at(body, key)) return one_clean_line(*text);
  }
  return one_clean_line(body.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string complaint_in(const std::string& body) {
  const auto json = parse_foreign(body);
  return json ? complaint_in(*json) : one_clean_line(body);
}

bool is_overflow(std::string_view complaint) { return has_any(complaint, kOverflow); }
bool is_filtered(std::string_view body) { return has_any(body, kFilters); }

Trouble malformed(const std::string& why) {
  return passing(ErrorCode::kUnavailable,
                 fmt::format("the stream of the model's reply is broken: {}", why))
      .value();
}

Trouble reported(const Json& event) {
  const std::string complaint = complaint_in(event);
  const std::string text = fmt::format("the server broke the reply off: {}", complaint);
  if (is_overflow(complaint)) return lasting(ErrorCode::kInvalidInput, text, kShorten).value();
  const Json error = event.value("error", Json());
  const std::string* type = text_at(error, "type");
  if (type != nullptr && has_any(*type, kLasting)) {
    return lasting(ErrorCode::kInvalidInput, text).value();
  }
  return passing(ErrorCode::kUnavailable, text).value();
}

}  // namespace kp::llm

// SPDX-License-Identifier: Apache-2.0
// Any bytes as the stream of a model's server, in both dialects: reading must end soon and without
// a crash, must not depend on how the bytes are cut, and what is read must survive a recording.
#include <cstdint>
#include <string>

#include "base/check.h"
#include "llm/chat_json.h"
#include "llm/dialect.h"
#include "llm/endpoint.h"
#include "llm/events.h"
#include "llm/foreign_json.h"
#include "llm/retries.h"

namespace {

using namespace kp::llm;  // NOLINT

/// The reply as JSON, or why there is none.
std::string read_stream(ReplyReader& reader, std::string_view bytes, std::size_t piece) {
  std::string trouble;
  EventStream events([&](const std::string& data) {
    const auto met = reader.take(data);
    if (met) trouble = met->error.message;
    KP_CHECK(!met || !trouble.empty(), "a trouble says what it is");
    return !met;
  });
  while (!bytes.empty() && events.feed(bytes.substr(0, piece))) {
    bytes.remove_prefix(std::min(piece, bytes.size()));
  }
  return trouble.empty() ? one_line(to_json(reader.reply())) : trouble;
}

void check_recording(const Reply& reply) {
  const std::string text = one_line(to_json(reply));
  const auto back = reply_from_json(nlohmann::json::parse(text));
  KP_CHECK(back.has_value(), "a reply survives a recording");
  for (const ToolCall& call : back->message.calls) {
    KP_CHECK(call.arguments.is_object() || call.arguments.is_string(), "arguments have a form");
  }
}

void check_dialect(std::unique_ptr<ReplyReader> (*make)(), std::string_view bytes) {
  const auto whole = make(), cut = make();
  const std::string one = read_stream(*whole, bytes, bytes.size() + 1);
  KP_CHECK(one == read_stream(*cut, bytes, 7), "pieces do not matter");
  check_recording(whole->reply());
}

void check_words(const std::string& text) {
  const std::string complaint = complaint_in(text);
  for (const char c : complaint) {
    KP_CHECK(static_cast<unsigned char>(c) >= ' ', "a complaint is one line");
  }
  KP_CHECK(complaint.size() <= 500, "a complaint is short");
  if (const auto endpoint = parse_endpoint(text, "https://api.example.com")) {
    KP_CHECK(!endpoint->host.empty() && !endpoint->model.empty(), "an endpoint is whole");
  }
  const auto wait = wait_asked(text, text);
  KP_CHECK(!wait || wait->count() >= 0, "a wait is no negative time");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  check_dialect(make_anthropic_reader, text);
  check_dialect(make_openai_reader, text);
  check_words(text);
  return 0;
}

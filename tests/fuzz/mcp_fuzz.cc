// SPDX-License-Identifier: Apache-2.0
// Any bytes as a line from a client: reading it ends without a crash, what is answered is a message
// of its own, and arguments are checked against the schemas of all tools before a tool sees them.
#include <cstdint>
#include <string>

#include "base/check.h"
#include "mcp/catalog.h"
#include "mcp/message.h"
#include "mcp/roots.h"
#include "mcp/schema.h"

namespace {

using namespace kp::mcp;  // NOLINT
using nlohmann::json;

json written(const json& message) {
  return json::parse(message.dump(-1, ' ', false, json::error_handler_t::replace));
}

void check(const Request& request) {
  static const std::vector<Tool> tools = make_tools({});
  for (const Tool& tool : tools) {
    const auto fits = check_schema(request.params, tool.input);
    KP_CHECK(fits || !fits.error().message.empty(), "a refusal says what is wrong");
    KP_CHECK(!fits || request.params.is_object(), "arguments are an object");
  }
  const json answer = written(response_to(request.id, json::object()));
  KP_CHECK(std::holds_alternative<Response>(parse_message(answer.dump())), "an answer is one");
}

void check(const Notification& notification) {
  KP_CHECK(notification.params.is_object(), "parameters are an object");
}

void check(const Response& response) {
  Roots roots({"/nonexistent"});
  roots.grant(response.result);
  (void)roots.admit("x", std::chrono::milliseconds(0));
}

void check(const Malformed& malformed) {
  const json answer = written(failure_of(malformed.id, malformed.fault));
  KP_CHECK(answer["error"]["message"].is_string(), "a fault says what it is");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  std::visit([](const auto& message) { check(message); }, parse_message(line));
  return 0;
}

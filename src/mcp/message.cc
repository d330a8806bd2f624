// SPDX-License-Identifier: Apache-2.0
#include "mcp/message.h"

#include <utility>

namespace kp::mcp {
namespace {

using nlohmann::json;

bool usable_id(const json& id) { return id.is_string() || id.is_number_integer(); }

json id_of(const json& message) {
  const auto id = message.find("id");
  return id != message.end() && usable_id(*id) ? *id : json();
}

Malformed malformed(const json& message, std::string what) {
  return {id_of(message), {FaultCode::kInvalidRequest, std::move(what)}};
}

Incoming read_call(json& message) {
  json& method = message["method"];
  if (!method.is_string()) return malformed(message, "`method` is no string");
  json params = message.value("params", json::object());
  if (!params.is_object()) return malformed(message, "`params` is no object");
  if (!message.contains("id")) return Notification{method.get<std::string>(), std::move(params)};
  if (!usable_id(message["id"])) return malformed(message, "`id` is neither text nor an integer");
  return Request{message["id"], method.get<std::string>(), std::move(params)};
}

json envelope(const json& id) { return {{"jsonrpc", "2.0"}, {"id", id}}; }

}  // namespace

Incoming parse_message(std::string_view line) {
  json message = json::parse(line, nullptr, false);
  if (message.is_discarded()) {
    return Malformed{json(), {FaultCode::kParse, "the line is not JSON"}};
  }
  if (!message.is_object()) return Malformed{json(), {FaultCode::kInvalidRequest, "no object"}};
  if (message.value("jsonrpc", json()) != "2.0") {
    return malformed(message, "`jsonrpc` is not \"2.0\"");
  }
  if (message.contains("method")) return read_call(message);
  if (message.contains("result") || message.contains("error")) {
    return Response{id_of(message), message.value("result", json())};
  }
  return malformed(message, "neither a request nor a response");
}

json response_to(const json& id, json result) {
  json message = envelope(id);
  message["result"] = std::move(result);
  return message;
}

json failure_of(const json& id, const Fault& fault) {
  json message = envelope(id);
  message["error"] = {{"code", static_cast<int>(fault.code)}, {"message", fault.message}};
  return message;
}

json request(const json& id, std::string_view method, json params) {
  json message = envelope(id);
  message["method"] = method;
  message["params"] = std::move(params);
  return message;
}

json notification(std::string_view method, json params) {
  return {{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}};
}

}  // namespace kp::mcp

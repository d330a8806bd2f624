// SPDX-License-Identifier: Apache-2.0
// JSON-RPC 2.0 messages: one line of text to a typed message and back. What comes in is foreign
// text; nothing here fails, a line that is no message is a Malformed.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <variant>

namespace kp::mcp {

/// https://www.jsonrpc.org/specification, section 5.1.
enum class FaultCode : int {
  kParse = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
  kInternal = -32603,
};
struct Fault {
  FaultCode code = FaultCode::kInternal;
  std::string message;
};

struct Request {
  nlohmann::json id;  // a string or an integer
  std::string method;
  nlohmann::json params;  // an object
};
struct Notification {
  std::string method;
  nlohmann::json params;  // an object
};
/// The other side's answer to a request of ours; `result` is null when it failed.
struct Response {
  nlohmann::json id;
  nlohmann::json result;
};
struct Malformed {
  nlohmann::json id;  // null when it could not be read
  Fault fault;
};
using Incoming = std::variant<Request, Notification, Response, Malformed>;

Incoming parse_message(std::string_view line);

nlohmann::json response_to(const nlohmann::json& id, nlohmann::json result);
nlohmann::json failure_of(const nlohmann::json& id, const Fault& fault);
nlohmann::json request(const nlohmann::json& id, std::string_view method, nlohmann::json params);
nlohmann::json notification(std::string_view method, nlohmann::json params);

}  // namespace kp::mcp

// SPDX-License-Identifier: Apache-2.0
#include "mcp/message.h"

#include <gtest/gtest.h>

namespace kp::mcp {
namespace {

using nlohmann::json;

const Malformed* fault_in(const Incoming& incoming) { return std::get_if<Malformed>(&incoming); }

TEST(Message, ReadsRequestsNotificationsAndResponses) {
  const auto called = parse_message(R"({"jsonrpc":"2.0","id":7,"method":"ping"})");
  ASSERT_TRUE(std::holds_alternative<Request>(called));
  EXPECT_EQ(std::get<Request>(called).id, 7);
  EXPECT_TRUE(std::get<Request>(called).params.is_object());
  const auto told = parse_message(R"({"jsonrpc":"2.0","method":"n","params":{"a":1}})");
  ASSERT_TRUE(std::holds_alternative<Notification>(told));
  EXPECT_EQ(std::get<Notification>(told).params["a"], 1);
  const auto answered = parse_message(R"({"jsonrpc":"2.0","id":"x","result":{"b":2}})");
  ASSERT_TRUE(std::holds_alternative<Response>(answered));
  EXPECT_EQ(std::get<Response>(answered).result["b"], 2);
  const auto refused = parse_message(R"({"jsonrpc":"2.0","id":"x","error":{"code":1}})");
  ASSERT_TRUE(std::holds_alternative<Response>(refused));
  EXPECT_TRUE(std::get<Response>(refused).result.is_null());
}

TEST(Message, NamesWhatIsWrong) {
  const struct {
    const char* line;
    FaultCode code;
  } cases[] = {
      {"", FaultCode::kParse},
      {"{", FaultCode::kParse},
      {"[]", FaultCode::kInvalidRequest},
      {R"({"id":1,"method":"a"})", FaultCode::kInvalidRequest},
      {R"({"jsonrpc":"2.0","id":1,"method":3})", FaultCode::kInvalidRequest},
      {R"({"jsonrpc":"2.0","id":1,"method":"a","params":[1]})", FaultCode::kInvalidRequest},
      {R"({"jsonrpc":"2.0","id":{},"method":"a"})", FaultCode::kInvalidRequest},
      {R"({"jsonrpc":"2.0","id":1})", FaultCode::kInvalidRequest}};
  for (const auto& [line, code] : cases) {
    const auto incoming = parse_message(line);
    ASSERT_NE(fault_in(incoming), nullptr) << line;
    EXPECT_EQ(fault_in(incoming)->fault.code, code) << line;
  }
}

TEST(Message, AFaultKeepsTheIdWhenItCanBeRead) {
  const auto incoming = parse_message(R"({"jsonrpc":"2.0","id":5,"method":3})");
  ASSERT_NE(fault_in(incoming), nullptr);
  EXPECT_EQ(fault_in(incoming)->id, 5);
}

TEST(Message, WritesWhatItReads) {
  const auto again = parse_message(request("r", "m", {{"k", 1}}).dump());
  ASSERT_TRUE(std::holds_alternative<Request>(again));
  EXPECT_EQ(std::get<Request>(again).params["k"], 1);
  EXPECT_EQ(failure_of(3, {FaultCode::kMethodNotFound, "no"})["error"]["code"], -32601);
}

}  // namespace
}  // namespace kp::mcp

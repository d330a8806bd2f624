// SPDX-License-Identifier: Apache-2.0
#include "mcp/server.h"

#include <chrono>
#include <future>
#include <thread>

#include "mcp/dialogue.h"
#include "mcp/schema.h"

namespace kp::mcp {
namespace {

using nlohmann::json;

Tool echo() {
  return {"echo",
          "Echo",
          "Gives back what it got.",
          object_schema({{"word", text("any")}}),
          object_schema({{"word", text("the same")}}),
          true,
          false,
          [](const json& arguments, Call& call) -> Result<json> {
            call.progress(1, 2, "half way");
            return json{{"word", arguments["word"]}};
          }};
}

Tool admit() {
  return {"admit",
          "Admit",
          "Resolves a path.",
          object_schema({{"path", text("any")}}),
          object_schema({{"path", text("resolved")}}),
          true,
          false,
          [](const json& arguments, Call& call) -> Result<json> {
            KP_TRY(const Path path, call.admit(arguments["path"]));
            return json{{"path", path.string()}};
          }};
}

/// Runs until it is cancelled.
Tool endless(std::promise<void>& begun) {
  return {"endless",
          "Endless",
          "Waits.",
          object_schema({}),
          object_schema({}),
          true,
          true,
          [&begun](const json&, Call& call) -> Result<json> {
            begun.set_value();
            while (!call.stop().requested()) std::this_thread::yield();
            return json::object();
          }};
}

/// Waits for a flag that is not the call's own, as what a device does.
Tool working(std::promise<void>& begun, std::promise<void>& ended) {
  return {"working",
          "Working",
          "Works.",
          object_schema({}),
          object_schema({}),
          true,
          true,
          [&](const json&, Call& call) -> Result<json> {
            StopFlag device;
            call.also_stop(&device);
            begun.set_value();
            while (!device.requested()) std::this_thread::yield();
            call.also_stop(nullptr);
            ended.set_value();
            return json::object();
          }};
}

class ServerTest : public ::testing::Test {
 protected:
  // Ends before the promise that one of its tools keeps.
  std::promise<void> begun_, ended_;
  Dialogue client_{{echo(), admit(), endless(begun_), working(begun_, ended_)}, {"/tmp"}};
};

TEST_F(ServerTest, AgreesOnARevision) {
  const json known = client_.greet("2025-06-18");
  EXPECT_EQ(known["result"]["protocolVersion"], "2025-06-18");
  EXPECT_EQ(known["result"]["serverInfo"]["name"], "kernelpro");
  EXPECT_EQ(client_.greet("1999-01-01")["result"]["protocolVersion"], "2025-11-25");
}

TEST_F(ServerTest, ListsToolsWithSchemas) {
  client_.send(request(1, "tools/list", json::object()));
  const json tools = client_.next()["result"]["tools"];
  ASSERT_EQ(tools.size(), 4u);
  EXPECT_EQ(tools[0]["name"], "echo");
  EXPECT_EQ(tools[0]["inputSchema"]["required"], json::array({"word"}));
  EXPECT_EQ(tools[0]["outputSchema"]["type"], "object");
}

TEST_F(ServerTest, CallsAToolAndTellsProgress) {
  client_.call("a", "echo", {{"word", "hello"}}, {{"progressToken", 9}});
  const json told = client_.next();
  EXPECT_EQ(told["method"], "notifications/progress");
  EXPECT_EQ(told["params"]["progressToken"], 9);
  EXPECT_EQ(told["params"]["total"], 2.0);
  const json answer = client_.next();
  EXPECT_EQ(answer["id"], "a");
  EXPECT_EQ(answer["result"]["structuredContent"]["word"], "hello");
  EXPECT_EQ(json::parse(answer["result"]["content"][0]["text"].get<std::string>())["word"],
            "hello");
}

TEST_F(ServerTest, NobodyWhoDidNotAskIsToldProgress) {
  client_.call("a", "echo", {{"word", "hello"}});
  EXPECT_EQ(client_.next()["id"], "a");
}

TEST_F(ServerTest, WrongArgumentsAreForTheModelToRead) {
  client_.call(1, "echo", {{"wrod", "hello"}});
  const json answer = client_.next()["result"];
  EXPECT_EQ(answer["isError"], true);
  EXPECT_NE(answer["content"][0]["text"].get<std::string>().find("wor"), std::string::npos);
}

TEST_F(ServerTest, UnknownToolsAndMethodsAreFaults) {
  client_.call(1, "nothing", json::object());
  EXPECT_EQ(client_.next()["error"]["code"], -32602);
  client_.send(request(2, "prompts/list", json::object()));
  EXPECT_EQ(client_.next()["error"]["code"], -32601);
  client_.send_bytes("nonsense\n");
  EXPECT_EQ(client_.next()["error"]["code"], -32700);
}

TEST_F(ServerTest, ACancelledCallEndsWithoutAnAnswer) {
  client_.call(1, "endless", json::object());
  begun_.get_future().wait();
  client_.send(request(2, "ping", json::object()));
  EXPECT_EQ(client_.next()["id"], 2);
  client_.send(notification("notifications/cancelled", {{"requestId", 1}}));
  client_.call(3, "echo", {{"word", "after"}});
  EXPECT_EQ(client_.next()["id"], 3);
}

TEST_F(ServerTest, CancellingACallStopsWhatItWaitsFor) {
  client_.call(1, "working", json::object());
  begun_.get_future().wait();
  client_.send(notification("notifications/cancelled", {{"requestId", 1}}));
  EXPECT_EQ(ended_.get_future().wait_for(std::chrono::seconds(30)), std::future_status::ready);
}

TEST_F(ServerTest, TheEndOfTheInputCancelsWhatRuns) {
  client_.call(1, "endless", json::object());
  begun_.get_future().wait();
}

TEST_F(ServerTest, PathsAreConfinedToTheClientsRoots) {
  client_.greet("2025-11-25", {{"roots", json::object()}});
  const json asked = client_.next();
  EXPECT_EQ(asked["method"], "roots/list");
  client_.call(5, "admit", {{"path", "x.cu"}});
  client_.call(6, "admit", {{"path", "/tmp/x.cu"}});
  client_.send(response_to(asked["id"], {{"roots", {{{"uri", "file:///usr"}}}}}));
  EXPECT_EQ(client_.next()["result"]["structuredContent"]["path"], "/usr/x.cu");
  EXPECT_EQ(client_.next()["result"]["isError"], true);
}

TEST(LineChannel, DropsALineThatIsTooLongAndGoesOn) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const Descriptor in(ends[0]), out(ends[1]);
  LineChannel channel(in.number(), in.number(), 1000);
  const std::string sent = std::string(300000, 'x') + "\nshort\r\n";
  std::thread writer(
      [&] { EXPECT_EQ(::write(out.number(), sent.data(), sent.size()), sent.size()); });
  const StopFlag stop;
  EXPECT_EQ(*channel.read(stop), "");
  EXPECT_EQ(*channel.read(stop), "short");
  writer.join();
}

}  // namespace
}  // namespace kp::mcp

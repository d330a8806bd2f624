// SPDX-License-Identifier: Apache-2.0
#include "mcp/server.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <future>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/descriptor.h"
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

/// A server on one end of a socket pair, and a client's end.
class Dialogue : public ::testing::Test {
 protected:
  Dialogue() {
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    servers_ = Descriptor(ends[0]);
    clients_ = Descriptor(ends[1]);
    channel_.emplace(servers_.number(), servers_.number());
    client_.emplace(clients_.number(), clients_.number());
    Server* server = &server_.emplace(Introduction{"kernelpro", "1", "use it"},
                                      std::vector<Tool>{echo(), admit(), endless(begun_)},
                                      std::vector<Path>{"/tmp"}, *channel_);
    thread_ = std::thread([this, server] { served_ = server->serve(stop_).has_value(); });
  }
  ~Dialogue() override {
    ::shutdown(clients_.number(), SHUT_WR);
    thread_.join();
    EXPECT_TRUE(served_);
  }

  void send(const json& message) { ASSERT_TRUE(client_->write(message)); }
  void call(const json& id, const char* tool, json arguments, json about = json::object()) {
    send(request(
        id, "tools/call",
        {{"name", tool}, {"arguments", std::move(arguments)}, {"_meta", std::move(about)}}));
  }
  json next() {
    const auto line = client_->read(stop_);
    return line && *line ? json::parse(**line) : json();
  }
  json greet(const char* revision, json capabilities = json::object()) {
    send(request(0, "initialize", {{"protocolVersion", revision}, {"capabilities", capabilities}}));
    json answer = next();
    send(notification("notifications/initialized", json::object()));
    return answer;
  }

  StopFlag stop_;
  std::promise<void> begun_;
  Descriptor servers_, clients_;
  std::optional<LineChannel> channel_, client_;
  std::optional<Server> server_;
  std::thread thread_;
  bool served_ = false;
};

TEST_F(Dialogue, AgreesOnARevision) {
  const json known = greet("2025-06-18");
  EXPECT_EQ(known["result"]["protocolVersion"], "2025-06-18");
  EXPECT_EQ(known["result"]["serverInfo"]["name"], "kernelpro");
  EXPECT_EQ(greet("1999-01-01")["result"]["protocolVersion"], "2025-11-25");
}

TEST_F(Dialogue, ListsToolsWithSchemas) {
  send(request(1, "tools/list", json::object()));
  const json tools = next()["result"]["tools"];
  ASSERT_EQ(tools.size(), 3u);
  EXPECT_EQ(tools[0]["name"], "echo");
  EXPECT_EQ(tools[0]["inputSchema"]["required"], json::array({"word"}));
  EXPECT_EQ(tools[0]["outputSchema"]["type"], "object");
}

TEST_F(Dialogue, CallsAToolAndTellsProgress) {
  call("a", "echo", {{"word", "hello"}}, {{"progressToken", 9}});
  const json told = next();
  EXPECT_EQ(told["method"], "notifications/progress");
  EXPECT_EQ(told["params"]["progressToken"], 9);
  EXPECT_EQ(told["params"]["total"], 2.0);
  const json answer = next();
  EXPECT_EQ(answer["id"], "a");
  EXPECT_EQ(answer["result"]["structuredContent"]["word"], "hello");
  EXPECT_EQ(json::parse(answer["result"]["content"][0]["text"].get<std::string>())["word"],
            "hello");
}

TEST_F(Dialogue, NobodyWhoDidNotAskIsToldProgress) {
  call("a", "echo", {{"word", "hello"}});
  EXPECT_EQ(next()["id"], "a");
}

TEST_F(Dialogue, WrongArgumentsAreForTheModelToRead) {
  call(1, "echo", {{"wrod", "hello"}});
  const json answer = next()["result"];
  EXPECT_EQ(answer["isError"], true);
  EXPECT_NE(answer["content"][0]["text"].get<std::string>().find("wor"), std::string::npos);
}

TEST_F(Dialogue, UnknownToolsAndMethodsAreFaults) {
  call(1, "nothing", json::object());
  EXPECT_EQ(next()["error"]["code"], -32602);
  send(request(2, "prompts/list", json::object()));
  EXPECT_EQ(next()["error"]["code"], -32601);
  ASSERT_TRUE(::write(clients_.number(), "nonsense\n", 9) == 9);
  EXPECT_EQ(next()["error"]["code"], -32700);
}

TEST_F(Dialogue, ACancelledCallEndsWithoutAnAnswer) {
  call(1, "endless", json::object());
  begun_.get_future().wait();
  send(request(2, "ping", json::object()));
  EXPECT_EQ(next()["id"], 2);
  send(notification("notifications/cancelled", {{"requestId", 1}}));
  call(3, "echo", {{"word", "after"}});
  EXPECT_EQ(next()["id"], 3);
}

TEST_F(Dialogue, TheEndOfTheInputCancelsWhatRuns) {
  call(1, "endless", json::object());
  begun_.get_future().wait();
}

TEST_F(Dialogue, PathsAreConfinedToTheClientsRoots) {
  greet("2025-11-25", {{"roots", json::object()}});
  const json asked = next();
  EXPECT_EQ(asked["method"], "roots/list");
  call(5, "admit", {{"path", "x.cu"}});
  call(6, "admit", {{"path", "/tmp/x.cu"}});
  send(response_to(asked["id"], {{"roots", {{{"uri", "file:///usr"}}}}}));
  EXPECT_EQ(next()["result"]["structuredContent"]["path"], "/usr/x.cu");
  EXPECT_EQ(next()["result"]["isError"], true);
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

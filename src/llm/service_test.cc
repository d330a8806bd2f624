// SPDX-License-Identifier: Apache-2.0
// Both dialects over real HTTP: turns that go well.
#include <gtest/gtest.h>

#include <thread>

#include "llm/service_fixture.h"

namespace kp::llm {
namespace {

using Json = nlohmann::json;

INSTANTIATE_TEST_SUITE_P(Dialects, ServiceTest, testing::Values("anthropic", "openai"),
                         [](const auto& each) { return each.param; });

TEST_P(ServiceTest, APlainTurnComesWithItsUsage) {
  const auto reply =
      ask({{{"text", "done"},
            {"model", "m-1-20260101"},
            {"usage", {{"input", 10}, {"cache_read", 3}, {"cache_written", 2}, {"output", 7}}}}});
  ASSERT_TRUE(reply) << reply.error().text();
  EXPECT_EQ(reply->message.text, "done");
  EXPECT_EQ(reply->message.speaker, Speaker::kAssistant);
  EXPECT_EQ(reply->stop, StopReason::kEnd);
  EXPECT_EQ(reply->model, "m-1-20260101");
  EXPECT_EQ(reply->usage.input, 10);
  EXPECT_EQ(reply->usage.cache_read, 3);
  EXPECT_EQ(reply->usage.cache_written, 2);
  EXPECT_EQ(reply->usage.output, 7);
  EXPECT_TRUE(reply->usage.counted);
  EXPECT_TRUE(reply->message.carried.is_null());
  EXPECT_EQ(body()["stream"], true);
  EXPECT_EQ(body()["model"], "m-1");
}

TEST_P(ServiceTest, TheNameSaysWhoServesAndNeverTheKey) {
  LocalServer server(Json::array());
  EXPECT_EQ(chat(server.address())->name(), spec(server.address()));
}

TEST_P(ServiceTest, SeveralCallsOfToolsArriveWhole) {
  const auto reply =
      ask({{{"text", "look"},
            {"calls",
             {{{"id", "c7"}, {"name", "read_code"}, {"arguments", {{"path", "a.h"}, {"line", 3}}}},
              {{"id", "c8"}, {"name", "list"}}}}}});
  ASSERT_TRUE(reply) << reply.error().text();
  EXPECT_EQ(reply->stop, StopReason::kToolUse);
  ASSERT_EQ(reply->message.calls.size(), 2u);
  EXPECT_EQ(reply->message.calls[0].id, "c7");
  EXPECT_EQ(reply->message.calls[0].arguments["line"], 3);
  EXPECT_EQ(reply->message.calls[1].name, "list");
  EXPECT_EQ(reply->message.calls[1].arguments, Json::object());
}

TEST_P(ServiceTest, AConversationWithToolsIsSentInTheDialectsForm) {
  Prompt prompt = asking("first");
  prompt.tools = {{"list", "lists", {{"type", "object"}}}};
  prompt.messages.push_back({.speaker = Speaker::kAssistant,
                             .text = "look",
                             .calls = {{"c1", "list", Json::object()}, {"c2", "list", "no json"}}});
  prompt.messages.push_back({.speaker = Speaker::kUser,
                             .text = "go on",
                             .results = {{"c1", "a.h"}, {"c2", "bad", true}}});
  ASSERT_TRUE(ask({{{"text", "ok"}}}, prompt));
  const Json messages = body()["messages"];
  if (anthropic()) {
    EXPECT_EQ(body()["system"][0]["cache_control"]["type"], "ephemeral");
    EXPECT_EQ(body()["tools"][0]["input_schema"]["type"], "object");
    ASSERT_EQ(messages.size(), 3u);
    EXPECT_EQ(messages[1]["content"][1]["type"], "tool_use");
    EXPECT_EQ(messages[1]["content"][2]["input"]["unparsed"], "no json");
    EXPECT_EQ(messages[2]["content"][1]["is_error"], true);
    EXPECT_EQ(messages[2]["content"][2]["text"], "go on");
  } else {
    EXPECT_EQ(body()["tools"][0]["function"]["name"], "list");
    EXPECT_EQ(body()["stream_options"]["include_usage"], true);
    ASSERT_EQ(messages.size(), 6u);
    EXPECT_EQ(messages[0]["role"], "system");
    EXPECT_EQ(messages[2]["tool_calls"][0]["function"]["arguments"], "{}");
    EXPECT_EQ(messages[3]["tool_call_id"], "c1");
    EXPECT_EQ(messages[4]["content"], "failed: bad");
    EXPECT_EQ(messages[5]["content"], "go on");
  }
}

TEST_P(ServiceTest, ReasoningGoesBackUnchanged) {
  LocalServer server(Json{{{"thinking", "hm"}, {"text", "look"}, {"calls", {{{"name", "list"}}}}},
                          {{"text", "done"}}});
  const auto client = chat(server.address());
  Prompt prompt = asking("go");
  const auto first = client->complete(prompt, stop_);
  ASSERT_TRUE(first) << first.error().text();
  EXPECT_EQ(first->message.text, "look");
  ASSERT_FALSE(first->message.carried.is_null());
  prompt.messages.push_back(first->message);
  prompt.messages.push_back({.speaker = Speaker::kUser, .results = {{"call_1", "a.h"}}});
  ASSERT_TRUE(client->complete(prompt, stop_));
  const Json sent = server.requests().at(1)["body"]["messages"];
  if (anthropic()) {
    const Json block = sent[1]["content"][0];
    EXPECT_EQ(block["thinking"], "hm");
    EXPECT_EQ(block["signature"], "signed");
    EXPECT_EQ(sent[1]["content"].size(), 3u);
  } else {
    EXPECT_EQ(sent[2]["reasoning_content"], "hm");
  }
}

TEST_P(ServiceTest, AnEmptyReplyIsAReply) {
  const auto reply = ask({{{"text", ""}, {"usage", {{"input", 5}}}}});
  ASSERT_TRUE(reply) << reply.error().text();
  EXPECT_EQ(reply->message.text, "");
  EXPECT_EQ(reply->stop, StopReason::kEnd);
}

TEST_P(ServiceTest, AReplyOfTwoMegabytesArrivesWhole) {
  const auto reply = ask({{{"text", "0123456789abcdef"}, {"times", 131072}}});
  ASSERT_TRUE(reply) << reply.error().text();
  EXPECT_EQ(reply->message.text.size(), 2u << 20);
  EXPECT_TRUE(reply->message.text.ends_with("abcdef"));
}

TEST_P(ServiceTest, ARefusalAndAFullReplyAreReasonsToStop) {
  EXPECT_EQ(ask({{{"text", "no"}, {"stop", "refusal"}}})->stop, StopReason::kRefusal);
  EXPECT_EQ(ask({{{"text", "half a ker"}, {"stop", "length"}}})->stop, StopReason::kLength);
}

TEST_P(ServiceTest, AFilterBeforeTheModelIsARefusal) {
  const auto reply =
      ask({{{"status", 400}, {"error", {{"message", "declined"}, {"code", "content_filter"}}}}});
  ASSERT_TRUE(reply) << reply.error().text();
  EXPECT_EQ(reply->stop, StopReason::kRefusal);
  EXPECT_EQ(reply->message.text, "declined");
}

TEST_P(ServiceTest, TheEffortTakesTheFormThatTheModelKnows) {
  Prompt prompt = asking("go");
  prompt.sampling.effort = "medium";
  const Json unknown{{"status", 400},
                     {"error",
                      {{"message", anthropic() ? "output_config.effort: not supported"
                                               : "Unsupported parameter: 'reasoning_effort'"}}}};
  ASSERT_TRUE(ask({unknown, {{"text", "ok"}}}, prompt));
  if (anthropic()) {
    EXPECT_EQ(body(0)["output_config"]["effort"], "medium");
    EXPECT_EQ(body(0)["thinking"]["type"], "adaptive");
    EXPECT_EQ(body(1)["thinking"]["budget_tokens"], 8192);
  } else {
    EXPECT_EQ(body(0)["reasoning_effort"], "medium");
    EXPECT_FALSE(body(1).contains("reasoning_effort"));
  }
}

TEST_P(ServiceTest, BytesThatAreNoTextAreSentAsTheirReplacement) {
  ASSERT_TRUE(ask({{{"text", "ok"}}}, asking("compiler said \xff")));
  EXPECT_NE(body()["messages"].dump(-1, ' ', true).find("\\ufffd"), std::string::npos);
}

TEST_P(ServiceTest, SeveralThreadsMayAskAtOnce) {
  LocalServer server(Json::array({{{"text", "same"}}}), {"--repeat"});
  const auto client = chat(server.address());
  std::vector<std::string> texts(8);
  std::vector<std::thread> threads;
  for (std::string& text : texts) {
    threads.emplace_back([&] { text = client->complete(asking("go"), stop_)->message.text; });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(texts, std::vector<std::string>(8, "same"));
}

TEST_P(ServiceTest, WithoutAKeyNoneIsSent) {
  ::setenv("ANTHROPIC_API_KEY", "", 1);
  ::setenv("OPENAI_API_KEY", "", 1);
  ASSERT_TRUE(ask({{{"text", "ok"}}}));
  EXPECT_FALSE(requests_[0]["headers"].contains("x-api-key"));
  EXPECT_FALSE(requests_[0]["headers"].contains("Authorization"));
}

}  // namespace
}  // namespace kp::llm

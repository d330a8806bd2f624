// SPDX-License-Identifier: Apache-2.0
// Both dialects over real HTTP, each against a server that follows a script.
#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

#include "llm/catalog.h"
#include "llm/chat_json.h"
#include "llm/fake_clock.h"
#include "llm/local_server.h"

namespace kp::llm {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::json;

Prompt asking(std::string text) {
  Prompt prompt;
  prompt.system = "You write kernels.";
  prompt.messages = {{.speaker = Speaker::kUser, .text = std::move(text)}};
  return prompt;
}

class ServiceTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    ::unsetenv("KERNELPRO_KEYS");
    ::setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
    ::setenv("ANTHROPIC_API_KEY", "sk-very-secret", 1);
    ::setenv("OPENAI_API_KEY", "sk-very-secret", 1);
    // A proxy that does not exist: this machine must be reached without it.
    ::setenv("http_proxy", "http://127.0.0.1:1", 1);
    options_.clock = clock_;
  }
  void TearDown() override { ::unsetenv("http_proxy"); }

  bool anthropic() const { return GetParam() == "anthropic"; }
  std::string spec(const std::string& address) const {
    return GetParam() + ":m-1@" + address + (anthropic() ? "" : "/v1");
  }
  std::unique_ptr<Chat> chat(const std::string& address) const {
    auto made = make_chat(spec(address), options_);
    EXPECT_TRUE(made) << made.error().text();
    return *std::move(made);
  }
  /// The reply to one prompt under a script.
  Result<Reply> ask(const Json& script, const Prompt& prompt = asking("go")) {
    LocalServer server(script);
    auto reply = chat(server.address())->complete(prompt, stop_);
    requests_ = server.requests();
    return reply;
  }
  Json body(std::size_t request = 0) const {
    return request < requests_.size() ? requests_[request]["body"] : Json();
  }

  std::shared_ptr<FakeClock> clock_ = std::make_shared<FakeClock>();
  ChatOptions options_;
  StopFlag stop_;
  std::vector<Json> requests_;
};

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

TEST_P(ServiceTest, AReplyThatNeverEndsIsBounded) {
  options_.limits.answer_bytes = 100'000;
  const auto reply = ask({{{"text", "0123456789abcdef"}, {"times", 131072}}});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, ErrorCode::kLimit);
  EXPECT_EQ(requests_.size(), 1u);
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

TEST_P(ServiceTest, AStreamThatBreaksIsAskedForAgain) {
  for (const char* then : {"cut", "nothing"}) {
    const auto reply = ask({{{"text", "lost"}, {"then", then}}, {{"text", "whole"}}});
    ASSERT_TRUE(reply) << then << ": " << reply.error().text();
    EXPECT_EQ(reply->message.text, "whole");
    EXPECT_EQ(requests_.size(), 2u);
  }
}

TEST_P(ServiceTest, WhatABrokenAttemptUsedIsCountedWhereTheServerSaidIt) {
  const Json usage{{"input", 100}, {"output", 5}};
  const auto reply = ask({{{"text", "lost"}, {"usage", usage}, {"then", "cut"}},
                          {{"text", "whole"}, {"usage", usage}}});
  ASSERT_TRUE(reply) << reply.error().text();
  EXPECT_EQ(reply->usage.input, anthropic() ? 200 : 100);
}

TEST_P(ServiceTest, MalformedJsonInTheStreamIsAskedForAgainAndThenSaid) {
  const Json broken{{"raw", {"data: {\"type\": \"mess\n\n"}}};
  const auto reply = ask({broken, {{"text", "whole"}}});
  ASSERT_TRUE(reply) << reply.error().text();
  EXPECT_EQ(reply->message.text, "whole");
  options_.retries.attempts = 2;
  const auto never = ask({broken, broken});
  ASSERT_FALSE(never);
  EXPECT_EQ(never.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(never.error().message.find("tried 2 times"), std::string::npos);
}

TEST_P(ServiceTest, AnErrorInTheMiddleOfAStreamIsAskedForAgain) {
  const auto reply = ask(
      {{{"raw",
         {"data: {\"type\": \"error\", \"error\": {\"type\": \"overloaded_error\", \"message\": "
          "\"Overloaded\"}}\n\n"}}},
       {{"text", "whole"}}});
  ASSERT_TRUE(reply) << reply.error().text();
  EXPECT_EQ(reply->message.text, "whole");
}

TEST_P(ServiceTest, AServerThatIsBusyIsWaitedForAsItAsks) {
  const auto reply = ask({{{"status", 429}, {"headers", {{"retry-after", "17"}}}},
                          {{"status", 529}, {"error", {{"type", "overloaded_error"}}}},
                          {{"status", 503}},
                          {{"text", "whole"}}});
  ASSERT_TRUE(reply) << reply.error().text();
  ASSERT_EQ(clock_->sleeps.size(), 3u);
  EXPECT_EQ(clock_->sleeps[0], 17s);
  EXPECT_LE(clock_->sleeps[2], 4s);
}

TEST_P(ServiceTest, AServerThatStaysBusyIsGivenUp) {
  const auto reply =
      ask(Json::array_t(6, {{"status", 529}, {"error", {{"message", "Overloaded"}}}}));
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(reply.error().message, "127.0.0.1 answers 529: Overloaded (tried 6 times)");
  EXPECT_EQ(requests_.size(), 6u);
}

TEST_P(ServiceTest, AKeyThatTheServerEchoesDoesNotLeak) {
  const auto reply =
      ask({{{"status", 401},
            {"error", {{"type", "authentication_error"}, {"message", "no such key: {key}!"}}}}});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, ErrorCode::kInvalidInput);
  EXPECT_EQ(reply.error().message, "127.0.0.1 answers 401: no such key: [key]!");
  EXPECT_NE(reply.error().hint.find("_API_KEY"), std::string::npos);
  EXPECT_EQ(requests_.size(), 1u);
  const std::string headers = requests_[0]["headers"].dump();
  EXPECT_NE(headers.find("sk-very-secret"), std::string::npos);
  const auto told = ask({{{"text", "your key is sk-very-secret."},
                          {"calls", {{{"name", "x"}, {"arguments", {{"k", "sk-very-secret"}}}}}}}});
  ASSERT_TRUE(told);
  EXPECT_EQ(told->message.text, "your key is [key].");
  EXPECT_EQ(told->message.calls[0].arguments["k"], "[key]");
}

TEST_P(ServiceTest, ATooLongPromptIsSaidAtOnce) {
  const char* text = anthropic() ? "prompt is too long: 210000 tokens > 200000 maximum"
                                 : "This model's maximum context length is 8192 tokens. max_tokens";
  const auto reply = ask({{{"status", 400}, {"error", {{"message", text}}}}});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, ErrorCode::kInvalidInput);
  EXPECT_NE(reply.error().hint.find("shorten the prompt"), std::string::npos);
  EXPECT_EQ(requests_.size(), 1u);
}

TEST_P(ServiceTest, ARedirectGetsNoKey) {
  const auto reply =
      ask({{{"status", 307}, {"headers", {{"Location", "http://127.0.0.1:1/elsewhere"}}}}});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, ErrorCode::kInvalidInput);
  EXPECT_NE(reply.error().hint.find("http://127.0.0.1:1/elsewhere"), std::string::npos);
}

TEST_P(ServiceTest, AParameterThatTheServerDoesNotKnowIsLeftOutFromThenOn) {
  Prompt prompt = asking("go");
  prompt.sampling.temperature = 0.7;
  LocalServer server(
      Json{{{"status", 400}, {"error", {{"message", "`temperature` is not supported"}}}},
           {{"text", "one"}},
           {{"text", "two"}}});
  const auto client = chat(server.address());
  EXPECT_EQ(client->complete(prompt, stop_)->message.text, "one");
  EXPECT_EQ(client->complete(prompt, stop_)->message.text, "two");
  const auto requests = server.requests();
  EXPECT_EQ(requests.at(0)["body"]["temperature"], 0.7);
  EXPECT_FALSE(requests.at(1)["body"].contains("temperature"));
  EXPECT_FALSE(requests.at(2)["body"].contains("temperature"));
  EXPECT_TRUE(clock_->sleeps.empty());
}

TEST_P(ServiceTest, AComplaintThatNoParameterAnswersIsTheError) {
  const auto reply = ask({{{"status", 400}, {"error", {{"message", "bad temperature effort"}}}}});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().message, "127.0.0.1 answers 400: bad temperature effort");
  EXPECT_EQ(requests_.size(), 1u);
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

TEST_P(ServiceTest, ASilentServerRunsIntoTheIdleTime) {
  options_.limits.idle = 150ms;
  options_.retries.attempts = 1;
  for (const char* then : {"silence", "hang"}) {
    const auto reply = ask({{{"text", "never"}, {"then", then}}});
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().code, ErrorCode::kTimeout);
    EXPECT_NE(reply.error().message.find("sent nothing for 150 ms"), std::string::npos)
        << reply.error().message;
  }
}

TEST_P(ServiceTest, ASlowDripRunsIntoTheTotalTime) {
  options_.limits.idle = 10s;
  options_.limits.total = 300ms;
  options_.retries.attempts = 1;
  const auto reply =
      ask({{{"raw", std::vector<std::string>(500, ": nothing yet\n\n")}, {"pause_s", 0.02}}});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, ErrorCode::kTimeout);
  EXPECT_NE(reply.error().message.find("did not finish its answer"), std::string::npos);
}

TEST_P(ServiceTest, ARequestToStopEndsTheWait) {
  LocalServer server(Json{{{"then", "silence"}}});
  const auto client = chat(server.address());
  Result<Reply> reply;
  std::thread asking_thread([&] { reply = client->complete(asking("go"), stop_); });
  while (server.requests().empty()) std::this_thread::yield();
  const auto begin = std::chrono::steady_clock::now();
  stop_.request();
  asking_thread.join();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 200ms);
  ASSERT_FALSE(reply);
  EXPECT_NE(reply.error().message.find("stopped"), std::string::npos);
}

TEST_P(ServiceTest, NobodyAtTheAddressIsTriedAgainAndThenSaid) {
  std::string address;
  {
    LocalServer server(Json::array());
    address = server.address();
  }
  options_.retries.attempts = 3;
  const auto reply = chat(address)->complete(asking("go"), stop_);
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(clock_->sleeps.size(), 2u);
  EXPECT_NE(reply.error().message.find(address), std::string::npos);
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

// SPDX-License-Identifier: Apache-2.0
// Both dialects over real HTTP: what goes wrong, and what is done about it.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "llm/service_fixture.h"

namespace kp::llm {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::json;

class ServiceFailuresTest : public ServiceTest {};
INSTANTIATE_TEST_SUITE_P(Dialects, ServiceFailuresTest, testing::Values("anthropic", "openai"),
                         [](const auto& each) { return each.param; });

TEST_P(ServiceFailuresTest, AReplyThatNeverEndsIsBounded) {
  options_.limits.answer_bytes = 100'000;
  const auto reply = ask({{{"text", "0123456789abcdef"}, {"times", 131072}}});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, ErrorCode::kLimit);
  EXPECT_EQ(requests_.size(), 1u);
}

TEST_P(ServiceFailuresTest, AStreamThatBreaksIsAskedForAgain) {
  for (const char* then : {"cut", "nothing"}) {
    const auto reply = ask({{{"text", "lost"}, {"then", then}}, {{"text", "whole"}}});
    ASSERT_TRUE(reply) << then << ": " << reply.error().text();
    EXPECT_EQ(reply->message.text, "whole");
    EXPECT_EQ(requests_.size(), 2u);
  }
}

TEST_P(ServiceFailuresTest, WhatABrokenAttemptUsedIsCountedWhereTheServerSaidIt) {
  const Json usage{{"input", 100}, {"output", 5}};
  const auto reply = ask({{{"text", "lost"}, {"usage", usage}, {"then", "cut"}},
                          {{"text", "whole"}, {"usage", usage}}});
  ASSERT_TRUE(reply) << reply.error().text();
  EXPECT_EQ(reply->usage.input, anthropic() ? 200 : 100);
}

TEST_P(ServiceFailuresTest, MalformedJsonInTheStreamIsAskedForAgainAndThenSaid) {
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

TEST_P(ServiceFailuresTest, AnErrorInTheMiddleOfAStreamIsAskedForAgain) {
  const auto reply = ask(
      {{{"raw",
         {"data: {\"type\": \"error\", \"error\": {\"type\": \"overloaded_error\", \"message\": "
          "\"Overloaded\"}}\n\n"}}},
       {{"text", "whole"}}});
  ASSERT_TRUE(reply) << reply.error().text();
  EXPECT_EQ(reply->message.text, "whole");
}

TEST_P(ServiceFailuresTest, AServerThatIsBusyIsWaitedForAsItAsks) {
  const auto reply = ask({{{"status", 429}, {"headers", {{"retry-after", "17"}}}},
                          {{"status", 529}, {"error", {{"type", "overloaded_error"}}}},
                          {{"status", 503}},
                          {{"text", "whole"}}});
  ASSERT_TRUE(reply) << reply.error().text();
  ASSERT_EQ(clock_->sleeps.size(), 3u);
  EXPECT_EQ(clock_->sleeps[0], 17s);
  EXPECT_LE(clock_->sleeps[2], 4s);
}

TEST_P(ServiceFailuresTest, AServerThatStaysBusyIsGivenUp) {
  const auto reply =
      ask(Json::array_t(6, {{"status", 529}, {"error", {{"message", "Overloaded"}}}}));
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(reply.error().message, "127.0.0.1 answers 529: Overloaded (tried 6 times)");
  EXPECT_EQ(requests_.size(), 6u);
}

TEST_P(ServiceFailuresTest, AKeyThatTheServerEchoesDoesNotLeak) {
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

TEST_P(ServiceFailuresTest, ATooLongPromptIsSaidAtOnce) {
  const char* text = anthropic() ? "prompt is too long: 210000 tokens > 200000 maximum"
                                 : "This model's maximum context length is 8192 tokens. max_tokens";
  const auto reply = ask({{{"status", 400}, {"error", {{"message", text}}}}});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, ErrorCode::kInvalidInput);
  EXPECT_NE(reply.error().hint.find("shorten the prompt"), std::string::npos);
  EXPECT_EQ(requests_.size(), 1u);
}

TEST_P(ServiceFailuresTest, ARedirectGetsNoKey) {
  const auto reply =
      ask({{{"status", 307}, {"headers", {{"Location", "http://127.0.0.1:1/elsewhere"}}}}});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, ErrorCode::kInvalidInput);
  EXPECT_NE(reply.error().hint.find("http://127.0.0.1:1/elsewhere"), std::string::npos);
}

TEST_P(ServiceFailuresTest, AParameterThatTheServerDoesNotKnowIsLeftOutFromThenOn) {
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

TEST_P(ServiceFailuresTest, AComplaintThatNoParameterAnswersIsTheError) {
  const auto reply = ask({{{"status", 400}, {"error", {{"message", "bad temperature effort"}}}}});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().message, "127.0.0.1 answers 400: bad temperature effort");
  EXPECT_EQ(requests_.size(), 1u);
}

TEST_P(ServiceFailuresTest, ASilentServerRunsIntoTheIdleTime) {
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

TEST_P(ServiceFailuresTest, ASlowDripRunsIntoTheTotalTime) {
  options_.limits.idle = 10s;
  options_.limits.total = 300ms;
  options_.retries.attempts = 1;
  const auto reply =
      ask({{{"raw", std::vector<std::string>(500, ": nothing yet\n\n")}, {"pause_s", 0.02}}});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, ErrorCode::kTimeout);
  EXPECT_NE(reply.error().message.find("did not finish its answer"), std::string::npos);
}

TEST_P(ServiceFailuresTest, ARequestToStopEndsTheWait) {
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

TEST_P(ServiceFailuresTest, NobodyAtTheAddressIsTriedAgainAndThenSaid) {
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

}  // namespace
}  // namespace kp::llm

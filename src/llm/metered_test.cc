// SPDX-License-Identifier: Apache-2.0
#include "llm/metered.h"

#include <gtest/gtest.h>

#include "llm/catalog.h"

namespace kp::llm {
namespace {

// Ten dollars a million tokens in, a hundred out.
const Prices kPrices({Price{.model = "m", .rates = {.input = 10, .output = 100}}});

class MeteredTest : public testing::Test {
 protected:
  std::unique_ptr<Metered> metered(std::string_view script, const Budget& budget,
                                   const Spending& before = {}) {
    EXPECT_TRUE(write_file(folder_.path() / "script.json", script));
    auto chat = make_chat("scripted:" + (folder_.path() / "script.json").string());
    auto made = Metered::make(*std::move(chat), budget, kPrices, before);
    EXPECT_TRUE(made) << made.error().text();
    return *std::move(made);
  }
  static Prompt asking(std::size_t bytes) {
    Prompt prompt;
    prompt.messages = {{.speaker = Speaker::kUser, .text = std::string(bytes, 'x')}};
    return prompt;
  }

  TemporaryFolder folder_ = *TemporaryFolder::make();
  StopFlag stop_;
};

constexpr std::string_view kThousand =
    R"([{"model": "m", "usage": {"input": 900, "output": 100}},
        {"model": "m", "usage": {"input": 900, "output": 100}},
        {"model": "m", "usage": {"input": 900, "output": 100}}])";

TEST_F(MeteredTest, CountsTokensAndDollars) {
  const auto chat = metered(kThousand, {});
  ASSERT_TRUE(chat->complete(asking(10), stop_));
  ASSERT_TRUE(chat->complete(asking(10), stop_));
  const Spending spent = chat->spent();
  EXPECT_EQ(spent.calls, 2);
  EXPECT_EQ(spent.tokens, 2000);
  EXPECT_DOUBLE_EQ(*spent.dollars, 2 * (0.009 + 0.01));
  EXPECT_FALSE(spent.estimated);
  EXPECT_EQ(to_text(spent), "2 k tokens, $0.04 in 2 calls");
}

TEST_F(MeteredTest, EndsAfterTheReplyThatPassesTheBudgetOfTokens) {
  const auto chat = metered(kThousand, {.tokens = 1500});
  ASSERT_TRUE(chat->complete(asking(10), stop_));
  ASSERT_TRUE(chat->complete(asking(10), stop_));
  const auto third = chat->complete(asking(10), stop_);
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().code, ErrorCode::kLimit);
  EXPECT_EQ(third.error().message,
            "the budget of 1.5 k tokens is spent: 2 k tokens, $0.04 in 2 calls so far");
  EXPECT_EQ(chat->spent().calls, 2);
}

TEST_F(MeteredTest, APromptThatCannotFitIsNotSent) {
  const auto chat = metered(kThousand, {.tokens = 1500});
  EXPECT_EQ(chat->complete(asking(20'000), stop_).error().code, ErrorCode::kLimit);
  EXPECT_EQ(chat->spent().calls, 0);
  EXPECT_TRUE(chat->complete(asking(10), stop_));
}

TEST_F(MeteredTest, EndsAtTheBudgetOfDollars) {
  const auto chat = metered(kThousand, {.dollars = 0.03});
  ASSERT_TRUE(chat->complete(asking(10), stop_));
  ASSERT_TRUE(chat->complete(asking(10), stop_));
  const auto third = chat->complete(asking(10), stop_);
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().code, ErrorCode::kLimit);
  EXPECT_EQ(third.error().hint, "raise --max-cost to go on");
}

TEST_F(MeteredTest, APromptThatCostsMoreThanIsLeftIsNotSent) {
  ::setenv("OPENAI_API_KEY", "", 1);
  auto chat = make_chat("openai:m@http://127.0.0.1:9/v1");
  const auto bounded = *Metered::make(*std::move(chat), {.dollars = 0.01}, kPrices);
  const auto reply = bounded->complete(asking(20'000), stop_);
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, ErrorCode::kLimit);
}

TEST_F(MeteredTest, WhatEarlierProcessesSpentCounts) {
  const auto chat = metered(kThousand, {.tokens = 1500}, {.calls = 9, .tokens = 1499});
  EXPECT_EQ(chat->complete(asking(10), stop_).error().code, ErrorCode::kLimit);
}

TEST_F(MeteredTest, AModelWithoutAPriceHasNoBudgetInDollars) {
  ::setenv("OPENAI_API_KEY", "", 1);
  auto chat = make_chat("openai:local@http://127.0.0.1:9/v1");
  ASSERT_TRUE(chat) << chat.error().text();
  const auto refused = Metered::make(*std::move(chat), {.dollars = 1}, kPrices);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "--max-cost: there is no price of the model `local`");
  EXPECT_NE(refused.error().hint.find("--prices FILE"), std::string::npos);
}

TEST_F(MeteredTest, ACostThatIsNotKnownIsNotZero) {
  const auto chat = metered(R"([{"model": "other", "usage": {"input": 5}}])", {});
  ASSERT_TRUE(chat->complete(asking(10), stop_));
  EXPECT_FALSE(chat->spent().dollars);
  EXPECT_EQ(to_text(chat->spent()), "5 tokens, cost unknown in 1 call");
  const auto bounded =
      metered(R"([{"model": "other", "usage": {"input": 5}}, {}])", {.dollars = 1});
  ASSERT_TRUE(bounded->complete(asking(10), stop_));
  EXPECT_EQ(bounded->complete(asking(10), stop_).error().code, ErrorCode::kLimit);
}

TEST_F(MeteredTest, WhatTheServerDidNotCountIsEstimated) {
  const auto chat = metered(R"([{"model": "m", "text": "ok", "usage": {"counted": false}}])", {});
  ASSERT_TRUE(chat->complete(asking(3000), stop_));
  EXPECT_TRUE(chat->spent().estimated);
  EXPECT_GT(chat->spent().tokens, 1000);
  EXPECT_TRUE(chat->spent().dollars);
}

}  // namespace
}  // namespace kp::llm

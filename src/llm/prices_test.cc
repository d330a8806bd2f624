// SPDX-License-Identifier: Apache-2.0
#include "llm/prices.h"

#include <gtest/gtest.h>

namespace kp::llm {
namespace {

Result<Prices> prices_of(const std::string& text) {
  const TemporaryFolder folder = *TemporaryFolder::make();
  EXPECT_TRUE(write_file(folder.path() / "prices.toml", text));
  return Prices::read(folder.path() / "prices.toml");
}

std::string entry(const std::string& model, double input) {
  return "[[price]]\nmodel = \"" + model + "\"\ninput = " + std::to_string(input) +
         "\noutput = 2\n";
}

TEST(Prices, TheShippedFileIsWhole) {
  const auto prices = Prices::read(KP_SOURCE_DIR "/share/prices.toml");
  ASSERT_TRUE(prices) << prices.error().text();
  const Price* opus = prices->find("claude-opus-5-5-20260922");
  ASSERT_NE(opus, nullptr);
  EXPECT_EQ(opus->model, "claude-opus-5-5");
  // Two million tokens in, a quarter million out, one million from the cache.
  EXPECT_DOUBLE_EQ(
      *cost_of({.input = 2'000'000, .cache_read = 1'000'000, .output = 250'000}, *opus),
      8 + 0.2 + 5);
}

TEST(Prices, TheLongestNameThatFitsCounts) {
  const auto prices = prices_of(entry("*", 1) + entry("m-1*", 2) + entry("m-1-pro", 3));
  ASSERT_TRUE(prices) << prices.error().text();
  EXPECT_EQ(prices->find("other")->rates.input, 1);
  EXPECT_EQ(prices->find("m-1-mini")->rates.input, 2);
  EXPECT_EQ(prices->find("m-1-pro")->rates.input, 3);
  EXPECT_EQ(prices->find("m-1-pro-2026-01-31")->rates.input, 3);
}

TEST(Prices, AModelWithAnotherEndingIsNotTheModel) {
  const auto prices = prices_of(entry("m-1", 1));
  EXPECT_EQ(prices->find("m-1-5"), nullptr);
  EXPECT_EQ(prices->find("m-10"), nullptr);
  EXPECT_EQ(prices->find("m-1-20260101x"), nullptr);
  EXPECT_EQ(prices->find(""), nullptr);
  EXPECT_NE(prices->find("m-1-20260101"), nullptr);
}

TEST(Prices, ALongPromptCostsItsOwnRates) {
  const auto prices =
      prices_of(entry("m", 1) + "long = { above = 1000, input = 10, output = 20 }\n");
  ASSERT_TRUE(prices) << prices.error().text();
  const Price& price = *prices->find("m");
  EXPECT_DOUBLE_EQ(*cost_of({.input = 1000, .output = 1000}, price), 0.003);
  EXPECT_DOUBLE_EQ(*cost_of({.input = 1001, .output = 1000}, price), 0.03001);
}

TEST(Prices, WhatHasNoPriceHasNoKnownCost) {
  const auto prices = prices_of(entry("m", 1));
  EXPECT_TRUE(cost_of({.input = 5}, *prices->find("m")));
  EXPECT_FALSE(cost_of({.input = 5, .cache_read = 1}, *prices->find("m")));
  EXPECT_FALSE(cost_of({.input = 5, .counted = false}, *prices->find("m")));
}

TEST(Prices, AFileThatIsNoPriceListNamesTheLine) {
  const std::vector<std::pair<std::string, int>> cases{
      {"[[price]]\nmodel = \"m\"\ninput = 1\n", 1},
      {entry("m", 1) + "cache_read = \"free\"\n", 5},
      {"[[price]]\nmodel = \"m\"\ninput = -1\noutput = 1\n", 3},
      {entry("", 1), 1},
      {entry("m", 1) + "long = { input = 1, output = 1 }\n", 5},
      {"[[price]\n", 1}};
  for (const auto& [text, line] : cases) {
    const auto prices = prices_of(text);
    ASSERT_FALSE(prices) << text;
    EXPECT_EQ(prices.error().code, ErrorCode::kInvalidInput);
    EXPECT_EQ(prices.error().spot.line, line) << text << prices.error().text();
  }
  EXPECT_FALSE(prices_of("x = 1\n"));
}

}  // namespace
}  // namespace kp::llm

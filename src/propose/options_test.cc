// SPDX-License-Identifier: Apache-2.0
#include "propose/options.h"

#include <gtest/gtest.h>

namespace kp::propose {
namespace {

TEST(ProposerOptions, come_back_from_a_store_as_they_were) {
  ProposerOptions options;
  options.arm = Arm::kPlacebo;
  options.invocation = Invocation::kReactive;
  options.memory = false;
  options.seeds = 3;
  options.temperatures = {0, 0.7, 1};
  options.code_roots = {"a, b", "c\"d"};
  options.most_tokens = 5'000'000'000;
  options.most_cost = 12.5;
  options.prices = "prices.toml";
  options.record = "talk.jsonl";
  const auto meta = to_meta(options);
  const auto again = options_from(meta);
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(to_meta(*again), meta);
  EXPECT_EQ(again->temperatures, options.temperatures);
  EXPECT_EQ(again->code_roots, options.code_roots);
  EXPECT_EQ(again->arm, Arm::kPlacebo);
}

TEST(ProposerOptions, of_older_runs_are_the_defaults) {
  const auto options = options_from({{"task", "x"}});
  ASSERT_TRUE(options);
  EXPECT_EQ(to_meta(*options), to_meta(ProposerOptions{}));
}

TEST(ProposerOptions, that_cannot_be_read_are_named) {
  for (const auto& [key, value] : std::map<std::string, std::string>{{"arm", "magic"},
                                                                     {"invocation", ""},
                                                                     {"memory", "yes"},
                                                                     {"seeds", "-1"},
                                                                     {"temperatures", "0.1,,2"},
                                                                     {"code_roots", "[1]"},
                                                                     {"max_cost", "-3"},
                                                                     {"max_tokens", "many"}}) {
    const auto options = options_from({{key, value}});
    ASSERT_FALSE(options) << key;
    EXPECT_EQ(options.error().code, ErrorCode::kCorrupt);
    EXPECT_NE(options.error().message.find(key), std::string::npos) << options.error().message;
  }
}

}  // namespace
}  // namespace kp::propose

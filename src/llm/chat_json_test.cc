// SPDX-License-Identifier: Apache-2.0
#include "llm/chat_json.h"

#include <gtest/gtest.h>

#include <set>

namespace kp::llm {
namespace {

using Json = nlohmann::json;

Prompt plain_prompt() {
  Prompt prompt;
  prompt.system = "You write kernels.";
  prompt.messages = {{.speaker = Speaker::kUser, .text = "Make it faster."}};
  return prompt;
}

TEST(ChatJson, AReplySurvivesTheWayThere) {
  Reply reply;
  reply.message = {.speaker = Speaker::kAssistant,
                   .text = "look",
                   .calls = {{"id7", "read_code", {{"path", "a.h"}}}, {"id8", "x", "no {json"}},
                   .results = {},
                   .carried = Json::array({{{"type", "thinking"}}})};
  reply.stop = StopReason::kToolUse;
  reply.usage = {.input = 1, .cache_read = 2, .cache_written = 3, .output = 4};
  reply.model = "m-1";
  const auto back = reply_from_json(to_json(reply));
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(to_json(*back), to_json(reply));
  EXPECT_EQ(back->message.calls[1].arguments, "no {json");
  EXPECT_EQ(back->usage.cache_written, 3);
}

TEST(ChatJson, WhatAReplyLeavesOutIsEmpty) {
  const auto end = reply_from_json(Json::object());
  ASSERT_TRUE(end);
  EXPECT_EQ(end->stop, StopReason::kEnd);
  EXPECT_EQ(end->usage.output, 0);
  const auto call = reply_from_json({{"calls", {{{"name", "find"}}}}});
  ASSERT_TRUE(call);
  EXPECT_EQ(call->stop, StopReason::kToolUse);
  EXPECT_EQ(call->message.calls[0].id, "call_1");
  EXPECT_TRUE(call->message.calls[0].arguments.is_object());
}

TEST(ChatJson, AMemberOfTheWrongTypeIsNamed) {
  const std::vector<std::pair<Json, std::string>> cases{
      {{{"text", 3}}, "reply.text"},
      {{{"stop", "whenever"}}, "reply.stop"},
      {{{"calls", {{{"id", "a"}}}}}, "reply.calls[0].name"},
      {{{"calls", {{{"name", "a"}, {"arguments", 3}}}}}, "reply.calls[0].arguments"},
      {{{"usage", {{"input", -1}}}}, "reply.usage.input"},
      {Json::array(), "reply"}};
  for (const auto& [json, where] : cases) {
    const auto reply = reply_from_json(json);
    ASSERT_FALSE(reply) << json;
    EXPECT_EQ(reply.error().code, ErrorCode::kCorrupt);
    EXPECT_NE(reply.error().message.find("`" + where + "`"), std::string::npos)
        << reply.error().message;
  }
}

TEST(ChatJson, EveryPartOfAPromptChangesItsDigest) {
  const Prompt plain = plain_prompt();
  std::vector<Prompt> others(9, plain);
  others[0].system += " ";
  others[1].messages[0].text = "faster.";
  others[2].messages[0].speaker = Speaker::kAssistant;
  others[3].messages[0].results = {{"id", "text", false}};
  others[4].messages[0].results = {{"id", "text", true}};
  others[5].tools = {{"find", "", Json::object()}};
  others[6].sampling.temperature = 0;
  others[7].sampling.effort = "low";
  others[8].messages[0].carried = "opaque";
  std::set<std::string> digests{digest_of(plain)};
  for (const Prompt& other : others) digests.insert(digest_of(other));
  EXPECT_EQ(digests.size(), others.size() + 1);
  EXPECT_EQ(digest_of(plain), digest_of(plain_prompt()));
}

TEST(ChatJson, BytesThatAreNoTextDoNotStopADigest) {
  Prompt prompt = plain_prompt();
  prompt.messages[0].text = "compiler said \xff\xfe";
  EXPECT_EQ(digest_of(prompt).size(), 32u);
}

}  // namespace
}  // namespace kp::llm

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/file.h"
#include "llm/catalog.h"

namespace kp::llm {
namespace {

class ScriptedTest : public testing::Test {
 protected:
  Result<std::unique_ptr<Chat>> chat_of(std::string_view script, ChatOptions options = {}) {
    EXPECT_TRUE(write_file(file_, script));
    return make_chat("scripted:" + file_.string(), options);
  }

  TemporaryFolder folder_ = *TemporaryFolder::make();
  Path file_ = folder_.path() / "script.json";
  StopFlag stop_;
};

TEST_F(ScriptedTest, RepliesComeInOrderAndThenThereAreNoMore) {
  auto chat =
      chat_of(R"([{"text": "one"}, {"calls": [{"name": "find"}], "usage": {"output": 7}}])");
  ASSERT_TRUE(chat) << chat.error().text();
  EXPECT_EQ((*chat)->name(), "scripted:" + file_.string());
  EXPECT_EQ((*chat)->complete({}, stop_)->message.text, "one");
  const auto second = (*chat)->complete({}, stop_);
  EXPECT_EQ(second->stop, StopReason::kToolUse);
  EXPECT_EQ(second->usage.output, 7);
  const auto third = (*chat)->complete({}, stop_);
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().code, ErrorCode::kLimit);
}

TEST_F(ScriptedTest, AResumedRunGoesOnWhereItStood) {
  auto chat = chat_of(R"([{"text": "one"}, {"text": "two"}])", {.replies_before = 1});
  EXPECT_EQ((*chat)->complete({}, stop_)->message.text, "two");
}

TEST_F(ScriptedTest, AnEntryCanFail) {
  auto chat = chat_of(R"([{"fails": "timeout", "text": "too late"}, {"fails": "unavailable"}])");
  const auto late = (*chat)->complete({}, stop_);
  EXPECT_EQ(late.error().code, ErrorCode::kTimeout);
  EXPECT_EQ(late.error().message, "too late");
  EXPECT_EQ((*chat)->complete({}, stop_).error().code, ErrorCode::kUnavailable);
}

TEST_F(ScriptedTest, AFileThatIsNoScriptIsExplained) {
  for (const char* script : {"{", "{}", R"([3])", R"([{"stop": "now"}])", R"([{"fails": "x"}])",
                             R"([{"fails": "limit", "text": 3}])"}) {
    const auto chat = chat_of(script);
    ASSERT_FALSE(chat) << script;
    EXPECT_EQ(chat.error().code, ErrorCode::kInvalidInput) << script;
    EXPECT_NE(chat.error().message.find("script.json"), std::string::npos);
    EXPECT_NE(chat.error().hint.find("docs/llm.md"), std::string::npos);
  }
  const auto missing = make_chat("scripted:nowhere.json");
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
}

TEST_F(ScriptedTest, AClientThatDoesNotExistListsThoseThatDo) {
  const auto chat = make_chat("oracle:x");
  ASSERT_FALSE(chat);
  EXPECT_EQ(chat.error().code, ErrorCode::kNotFound);
  EXPECT_NE(chat.error().hint.find("scripted:FILE"), std::string::npos);
  EXPECT_EQ(make_chat("scripted").error().code, ErrorCode::kInvalidInput);
  EXPECT_EQ(make_chat("scripted:").error().code, ErrorCode::kInvalidInput);
}

}  // namespace
}  // namespace kp::llm

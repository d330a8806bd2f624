// SPDX-License-Identifier: Apache-2.0
#include "llm/recording.h"

#include <gtest/gtest.h>

#include <thread>

#include "llm/catalog.h"
#include "llm/recorded.h"

namespace kp::llm {
namespace {

using Json = nlohmann::json;

class RecordingTest : public testing::Test {
 protected:
  std::shared_ptr<Recording> appended() {
    auto recording = Recording::append(file_);
    EXPECT_TRUE(recording) << recording.error().text();
    return *recording;
  }
  std::string text() const { return *read_file(file_); }
  static Prompt asking(std::string text) {
    Prompt prompt;
    prompt.messages = {{.speaker = Speaker::kUser, .text = std::move(text)}};
    return prompt;
  }
  std::unique_ptr<Chat> scripted(std::string_view script) {
    EXPECT_TRUE(write_file(folder_.path() / "script.json", script));
    return *make_chat("scripted:" + (folder_.path() / "script.json").string());
  }

  TemporaryFolder folder_ = *TemporaryFolder::make();
  Path file_ = folder_.path() / "run.jsonl";
  StopFlag stop_;
};

TEST_F(RecordingTest, ValuesOfOneKeyComeBackInTheirOrder) {
  {
    const auto recording = appended();
    ASSERT_TRUE(recording->add("chat", "k", 1));
    ASSERT_TRUE(recording->add("evaluation", "k", {{"speedup", 2}}));
    ASSERT_TRUE(recording->add("chat", "k", "two\nlines"));
  }
  const auto recording = *Recording::read(file_);
  EXPECT_EQ(recording->left("chat"), 2u);
  EXPECT_EQ(*recording->next("chat", "k"), 1);
  EXPECT_EQ(*recording->next("chat", "k"), "two\nlines");
  EXPECT_EQ(recording->next("evaluation", "k")->at("speedup"), 2);
  EXPECT_EQ(recording->left("chat"), 0u);
}

TEST_F(RecordingTest, WhatWasNotRecordedIsAnotherPath) {
  ASSERT_TRUE(appended()->add("chat", "k", 1));
  const auto recording = *Recording::read(file_);
  ASSERT_TRUE(recording->next("chat", "k"));
  for (const char* key : {"k", "other"}) {
    const auto value = recording->next("chat", key);
    ASSERT_FALSE(value);
    EXPECT_EQ(value.error().code, ErrorCode::kCorrupt);
    EXPECT_NE(value.error().message.find("the run took another path"), std::string::npos);
  }
}

TEST_F(RecordingTest, ATornLastLineIsPassedOverAndCutOffBeforeMoreIsAdded) {
  ASSERT_TRUE(appended()->add("chat", "a", 1));
  const std::string whole = text();
  ASSERT_TRUE(write_file(file_, whole + R"({"key":"b","ki)"));
  EXPECT_EQ((*Recording::read(file_))->left("chat"), 1u);
  ASSERT_TRUE(appended()->add("chat", "b", 2));
  EXPECT_TRUE(text().starts_with(whole));
  const auto recording = *Recording::read(file_);
  EXPECT_EQ(recording->left("chat"), 2u);
  EXPECT_EQ(*recording->next("chat", "b"), 2);
}

TEST_F(RecordingTest, ALineThatIsNoEntryIsNamed) {
  const std::string good = R"({"kind":"chat","key":"a","value":1})";
  for (const char* bad :
       {"{", "3", R"({"kind":"chat","key":"a"})", R"({"kind":1,"key":"a","value":1})", ""}) {
    ASSERT_TRUE(write_file(file_, good + "\n" + bad + "\n" + good + "\n"));
    const auto recording = Recording::read(file_);
    ASSERT_FALSE(recording) << bad;
    EXPECT_EQ(recording.error().code, ErrorCode::kCorrupt);
    EXPECT_EQ(recording.error().spot.line, 2);
  }
}

TEST_F(RecordingTest, AFileOfAnotherKindIsLeftAlone) {
  for (const char* other :
       {"__global__ void f() {}", "one line\nanother", "{\"a\": 1}\n{\"key\":"}) {
    ASSERT_TRUE(write_file(file_, other));
    const auto recording = Recording::append(file_);
    ASSERT_FALSE(recording) << other;
    EXPECT_EQ(recording.error().code, ErrorCode::kCorrupt);
    EXPECT_EQ(text(), other);
  }
}

TEST_F(RecordingTest, AFileThatCannotBeWrittenIsSaid) {
  const auto recording = Recording::append(folder_.path() / "nowhere/run.jsonl");
  ASSERT_FALSE(recording);
  EXPECT_EQ(recording.error().code, ErrorCode::kIo);
  EXPECT_EQ(Recording::read(folder_.path() / "none").error().code, ErrorCode::kNotFound);
}

TEST_F(RecordingTest, LinesOfSeveralThreadsDoNotMix) {
  const auto recording = appended();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&recording, i] {
      for (int j = 0; j < 50; ++j) {
        EXPECT_TRUE(recording->add("chat", std::to_string(i), std::string(3000, 'x')));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ((*Recording::read(file_))->left("chat"), 200u);
}

TEST_F(RecordingTest, ARecordedConversationIsRepeatedExactly) {
  const auto first = asking("one"), second = asking("two");
  {
    const auto chat =
        record(scripted(R"([{"text": "a", "calls": [{"name": "find"}], "usage": {"output": 3}},
                     {"text": "b"}, {"fails": "timeout"}, {"text": "c"}])"),
               appended());
    EXPECT_TRUE(chat->name().starts_with("scripted:"));
    EXPECT_EQ(chat->complete(first, stop_)->message.text, "a");
    EXPECT_EQ(chat->complete(second, stop_)->message.text, "b");
    EXPECT_EQ(chat->complete(first, stop_).error().code, ErrorCode::kTimeout);
    EXPECT_EQ(chat->complete(first, stop_)->message.text, "c");
  }
  const auto chat = *make_chat("replay:" + file_.string());
  EXPECT_EQ(chat->complete(second, stop_)->message.text, "b");
  const auto reply = chat->complete(first, stop_);
  EXPECT_EQ(reply->message.calls.at(0).name, "find");
  EXPECT_EQ(reply->usage.output, 3);
  EXPECT_EQ(chat->complete(first, stop_)->message.text, "c");
  const auto other = chat->complete(asking("three"), stop_);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::kCorrupt);
  EXPECT_NE(other.error().message.find("the run took another path"), std::string::npos);
}

}  // namespace
}  // namespace kp::llm

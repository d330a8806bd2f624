// SPDX-License-Identifier: Apache-2.0
#include "llm/events.h"

#include <gtest/gtest.h>

#include <vector>

namespace kp::llm {
namespace {

using Texts = std::vector<std::string>;

Texts events_of(std::string_view bytes, std::size_t piece = 1000) {
  Texts texts;
  EventStream stream([&](const std::string& data) {
    texts.push_back(data);
    return true;
  });
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    EXPECT_TRUE(stream.feed(bytes.substr(0, piece)));
  }
  return texts;
}

TEST(Events, AnEventEndsWithAnEmptyLine) {
  EXPECT_EQ(events_of("data: one\n\ndata: two\n\n"), (Texts{"one", "two"}));
  EXPECT_EQ(events_of("data: one\n\ndata: torn\n"), (Texts{"one"}));
}

TEST(Events, EveryLineEndOfTheStandardIsOne) {
  for (const char* end : {"\n", "\r", "\r\n"}) {
    std::string bytes;
    for (const char* line : {"data: a", "data: b", "", "data: c", ""})
      bytes += line + std::string(end);
    for (const std::size_t piece : {1u, 2u, 3u, 1000u}) {
      EXPECT_EQ(events_of(bytes, piece), (Texts{"a\nb", "c"})) << piece;
    }
  }
}

TEST(Events, WhatIsNoDataIsPassedOver) {
  EXPECT_EQ(events_of("\xEF\xBB\xBF"
                      "event: x\nid: 3\nretry: 10\n: comment\ndata:a\n\n"),
            (Texts{"a"}));
  EXPECT_EQ(events_of("event: ping\n\n\n\ndatax: no\n\n"), Texts{});
}

TEST(Events, OneBlankAfterTheColonIsNoData) {
  EXPECT_EQ(events_of("data:  a\n\n"), (Texts{" a"}));
  EXPECT_EQ(events_of("data\n\n"), (Texts{""}));
  EXPECT_EQ(events_of("data:\n\n"), (Texts{""}));
}

TEST(Events, ATakerThatHasEnoughGetsNoMore) {
  int taken = 0;
  EventStream stream([&](const std::string&) { return ++taken < 2; });
  EXPECT_FALSE(stream.feed("data: 1\n\ndata: 2\n\ndata: 3\n\n"));
  EXPECT_FALSE(stream.feed("data: 4\n\n"));
  EXPECT_EQ(taken, 2);
}

}  // namespace
}  // namespace kp::llm

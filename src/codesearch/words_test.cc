// SPDX-License-Identifier: Apache-2.0
#include "codesearch/words.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "codesearch/query.h"

namespace kp::codesearch {
namespace {

std::string split_up(std::string_view identifier) {
  std::vector<std::string> words;
  for (const std::string_view word : words_of(identifier)) words.emplace_back(word);
  return join(words, " ");
}

TEST(Words, NamesFallApartWhereAReaderSeesWords) {
  EXPECT_EQ(split_up("SM90_TMA_LOAD_MULTICAST"), "SM90 TMA LOAD MULTICAST");
  EXPECT_EQ(split_up("CollectiveMmaTMALoad"), "Collective Mma TMA Load");
  EXPECT_EQ(split_up("make_tma_copy"), "make tma copy");
  EXPECT_EQ(split_up("__private_Name_"), "private Name");
  EXPECT_EQ(split_up("float16x2"), "float16x2");
  EXPECT_EQ(split_up("Sm90Pipeline"), "Sm90 Pipeline");
  EXPECT_EQ(split_up("___"), "");
  EXPECT_EQ(split_up(""), "");
}

TEST(Words, OnlyCamelCaseGetsWordsBehindIt) {
  EXPECT_EQ(with_words("a TmaLoad(x_y)"), "a TmaLoad Tma Load(x_y)");
  EXPECT_EQ(with_words(""), "");
  EXPECT_EQ(with_words("+"), "+");
}

TEST(Query, QuestionsAreReducedToWhatCodeHolds) {
  const auto query = read_query("How do I use make_tma_copy with a TMA?");
  ASSERT_TRUE(query);
  EXPECT_EQ(join(query->words, " "), "use make tma copy");
  EXPECT_EQ(join(query->identifiers, " "), "make_tma_copy");
}

TEST(Query, WordsThatAllTextsHaveCountWhenThereIsNothingElse) {
  EXPECT_EQ(join(read_query("where is it")->words, " "), "where is it");
}

TEST(Query, WithoutAWordItSaysWhatToWrite) {
  const auto query = read_query("\"\" * ___ ()");
  ASSERT_FALSE(query);
  EXPECT_EQ(query.error().text(),
            "no word to search for in `\"\" * ___ ()`\n"
            "hint: write a few words of what you look for, such as `tma load multicast`");
}

TEST(Query, AFloodOfWordsIsCut) {
  std::string flood;
  for (int i = 0; i < 1000; ++i) flood += "w" + std::to_string(i) + " ";
  EXPECT_EQ(read_query(flood)->words.size(), 32u);
}

}  // namespace
}  // namespace kp::codesearch

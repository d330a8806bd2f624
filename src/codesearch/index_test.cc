// SPDX-License-Identifier: Apache-2.0
#include "codesearch/index.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "codesearch/excerpt.h"
#include "codesearch/tree_fixture.h"

namespace kp::codesearch {
namespace {

using Search = TreeTest;

TEST_F(Search, AHitSaysWhereWhatAndWhy) {
  std::string text;
  for (int i = 0; i < 30; ++i) text += "// filler\n";
  text += "\nstruct SM90_TMA_LOAD_MULTICAST {\n  void copy(int mask) { use(mask); }\n};\n";
  write("include/copy.hpp", text);
  Index index = fresh();
  const auto found = hits(index, "tma load multicast");
  ASSERT_EQ(found.size(), 1u);
  const Hit& hit = found.front();
  EXPECT_EQ(hit.path, "include/copy.hpp");
  EXPECT_EQ(hit.symbols, (std::vector<std::string>{"SM90_TMA_LOAD_MULTICAST", "copy"}));
  EXPECT_EQ(hit.excerpt_line, 32);
  EXPECT_TRUE(hit.excerpt.starts_with("struct SM90_TMA_LOAD_MULTICAST {\n")) << hit.excerpt;
  EXPECT_LE(hit.first_line, 32);
  EXPECT_EQ(hit.last_line, 34);
  EXPECT_GT(hit.score, 0);
}

TEST_F(Search, JsonHasAllOfAHitAndOfAPassage) {
  write("a.h", "void alpha(int);\n");
  Index index = fresh();
  const auto json = to_json(hits(index, "alpha").at(0));
  EXPECT_EQ(json.at("path"), "a.h");
  EXPECT_EQ(json.at("first_line"), 1);
  EXPECT_EQ(json.at("last_line"), 1);
  EXPECT_EQ(json.at("symbols"), nlohmann::json({"alpha"}));
  EXPECT_EQ(json.at("excerpt"), "void alpha(int);\n");
  EXPECT_EQ(
      to_json(*index.read("a.h", 1, 5)),
      nlohmann::json::parse(
          R"({"path":"a.h","first_line":1,"last_line":1,"lines":1,"text":"void alpha(int);\n"})"));
}

TEST_F(Search, NoTextIsASyntaxError) {
  write("a.h", "void alpha(int);\n");
  Index index = fresh();
  for (const std::string query :
       {"alpha AND", "NOT alpha", "\"alpha", "alpha*", "(alpha", "NEAR(alpha, 2)", "symbols:alpha",
        "{alpha}", "^alpha", "alpha + beta", "-alpha", "alpha\"; DROP TABLE file; --", "'alpha'",
        "AND OR NOT alpha", "alpha\xff\xfe", "\xe6\xbc\xa2 alpha"}) {
    const auto found = index.search(query, 5);
    ASSERT_TRUE(found) << query << ": " << found.error().text();
    EXPECT_EQ(found->size(), 1u) << query;
  }
  EXPECT_TRUE(index.search(std::string_view("al\0pha", 6), 5));
}

TEST_F(Search, LimitsAndWordsThatNobodyWroteGiveFewerHits) {
  for (int i = 0; i < 9; ++i) write(fmt::format("f{}.h", i), "void alpha(int);\n");
  Index index = fresh();
  EXPECT_EQ(hits(index, "alpha", 3).size(), 3u);
  EXPECT_EQ(hits(index, "alpha", 0).size(), 1u);
  EXPECT_EQ(hits(index, "alpha nowhere_at_all", 50).size(), 9u);
  EXPECT_TRUE(hits(index, "nowhere").empty());
}

TEST_F(Search, OneFileDoesNotFillTheList) {
  std::string text;
  for (int i = 0; i < 400; ++i) text += fmt::format("void alpha_{}(int);\n", i);
  write("a.h", text);
  write("b.h", "void beta(int);  // not alpha\n");
  Index index = fresh();
  const auto found = hits(index, "alpha");
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found.back().path, "b.h");
}

TEST_F(Search, FrequentWordsStillAnswer) {
  std::string text;
  for (int i = 0; i < 60; ++i) text += std::string(100, ' ').replace(0, 12, "kernel tile;") + "\n";
  for (int i = 0; i < 120; ++i) write(fmt::format("d{}/f.h", i), text);
  Index index = fresh();
  EXPECT_EQ(hits(index, "kernel tile").size(), 10u);
}

TEST(Excerpt, IsBoundedAndEndsWithAWholeCharacter) {
  std::string line = "needle ";
  while (line.size() < 5000) line += "\xc3\xa9";
  const auto query = read_query("needle");
  const Excerpt excerpt = excerpt_of(line, *query);
  EXPECT_LE(excerpt.text.size(), kMostExcerptBytes);
  EXPECT_NO_THROW(nlohmann::json(excerpt.text).dump());
  EXPECT_EQ(excerpt_of("", *query).text, "");
}

TEST(Excerpt, ShowsTheLinesWithMostOfTheWords) {
  std::string body;
  for (int i = 0; i < 50; ++i) body += i == 3 ? "load\n" : i == 30 ? "tma load\n" : "other\n";
  EXPECT_EQ(excerpt_of(body, *read_query("tma load")).line, 30);
}

}  // namespace
}  // namespace kp::codesearch

// SPDX-License-Identifier: Apache-2.0
#include "task/source_text.h"

#include <gtest/gtest.h>

namespace kp::task {
namespace {

std::vector<std::string> inert(std::string_view source) {
  std::vector<std::string> texts;
  for (const Inert& span : inert_spans(source)) {
    texts.emplace_back(source.substr(span.span.begin, span.span.end - span.span.begin));
  }
  return texts;
}

using Texts = std::vector<std::string>;

TEST(SourceText, FindsCommentsOutsideOfLiterals) {
  EXPECT_EQ(inert("a // b\nc /* d */ e"), (Texts{"// b", "/* d */"}));
  EXPECT_EQ(inert(R"("// no" '"' /* yes */)"), (Texts{"/* yes */"}));
  EXPECT_EQ(inert(R"("\" /* no */" // yes)"), (Texts{"// yes"}));
  EXPECT_EQ(inert("int n = 1'000; /* yes */ char c = 'x'; // too"), (Texts{"/* yes */", "// too"}));
  EXPECT_EQ(inert("a /* open"), (Texts{"/* open"}));
  EXPECT_EQ(inert("\"unclosed /* no\n/* yes */"), (Texts{"/* yes */"}));
  EXPECT_EQ(inert("/*/ still inside */"), (Texts{"/*/ still inside */"}));
}

TEST(SourceText, FindsRawStrings) {
  EXPECT_EQ(inert("R\"x(/* no )\" )x\" // yes"), (Texts{"\"x(/* no )\" )x\"", "// yes"}));
  EXPECT_EQ(inert("R\"(open"), (Texts{"\"(open"}));
}

TEST(SourceText, CountsLinesAndColumnsFromOne) {
  const TextMap map("ab\ncd\n", "f");
  EXPECT_EQ(map.spot(0), (SourceSpot{"f", 1, 1}));
  EXPECT_EQ(map.spot(2), (SourceSpot{"f", 1, 3}));
  EXPECT_EQ(map.spot(3), (SourceSpot{"f", 2, 1}));
  EXPECT_EQ(map.spot(6), (SourceSpot{"f", 3, 1}));
}

TEST(SourceText, FindsIncludes) {
  const auto headers = [](std::string_view source) {
    Texts names;
    for (const Include& include : find_includes(source)) names.push_back(include.header);
    return names;
  };
  EXPECT_EQ(headers("#include <a>\n# include \"b\"\n#include<c>\n"), (Texts{"a", "b", "c"}));
  EXPECT_EQ(headers("#import <a>\n#include_next <b>\n#includes <c>\n#define include <d>"),
            (Texts{"a", "b"}));
  EXPECT_EQ(headers("#include \\\r\n<a>\r\n#include MACRO\n#include"), (Texts{"a", "", ""}));
  EXPECT_EQ(headers("x #include <a>"), Texts{});
}

}  // namespace
}  // namespace kp::task

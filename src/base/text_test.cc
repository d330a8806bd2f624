// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <gtest/gtest.h>

namespace kp {
namespace {

using Views = std::vector<std::string_view>;

TEST(Text, TrimsBlanksAtBothEnds) {
  EXPECT_EQ(trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(trim(" \n"), "");
}

TEST(Text, SplitKeepsEmptyParts) {
  EXPECT_EQ(split("a,,b,", ','), (Views{"a", "", "b", ""}));
  EXPECT_EQ(split("", ','), (Views{""}));
}

TEST(Text, LinesMayEndInEitherStyle) {
  EXPECT_EQ(split_lines("a\r\nb\n\nc"), (Views{"a", "b", "", "c"}));
  EXPECT_EQ(split_lines("a\n"), (Views{"a"}));
  EXPECT_EQ(split_lines("\n"), (Views{""}));
  EXPECT_TRUE(split_lines("").empty());
}

TEST(Text, AWordEndsWhereTheIdentifierEnds) {
  EXPECT_TRUE(starts_with_word("launch f", "launch"));
  EXPECT_TRUE(starts_with_word("launch", "launch"));
  EXPECT_FALSE(starts_with_word("launcher", "launch"));
  EXPECT_FALSE(starts_with_word("lau", "launch"));
}

TEST(Text, NumbersMustBeWhole) {
  EXPECT_EQ(parse_integer("-12"), -12);
  EXPECT_EQ(parse_integer("+12"), 12);
  EXPECT_EQ(parse_integer("12a"), std::nullopt);
  EXPECT_EQ(parse_integer(""), std::nullopt);
  EXPECT_EQ(parse_integer("+-1"), std::nullopt);
  EXPECT_EQ(parse_integer("99999999999999999999"), std::nullopt);
  EXPECT_EQ(parse_real("2.5e-3"), 2.5e-3);
  EXPECT_EQ(parse_real("2.5 "), std::nullopt);
  EXPECT_EQ(parse_real("nan"), std::nullopt);
  EXPECT_EQ(parse_real("inf"), std::nullopt);
}

TEST(Text, NearestFindsALikelySlipOnly) {
  const std::vector<std::string> words{"rows", "columns", "block"};
  EXPECT_EQ(nearest("rosw", words), "rows");
  EXPECT_EQ(nearest("colums", words), "columns");
  EXPECT_EQ(nearest("warp", words), std::nullopt);
  EXPECT_EQ(nearest("x", {"y"}), std::nullopt);
}

TEST(Text, QuantitiesKeepThreeDigitsAndTheirUnit) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1.5e9), "1.5 GB");
  EXPECT_EQ(format_bytes(999.6), "1 kB");
  EXPECT_EQ(format_duration_ns(12'345), "12.3 us");
  EXPECT_EQ(format_duration_ns(999'400), "999 us");
  EXPECT_EQ(format_duration_ns(4.56e12), "4560 s");
}

TEST(Text, CountsCarryAPrefixOnlyWhenLarge) {
  EXPECT_EQ(format_count(12), "12");
  EXPECT_EQ(format_count(5242880), "5.24 M");
}

TEST(Text, JoinPutsTheSeparatorBetween) {
  EXPECT_EQ(join({"a", "b", "c"}, ", "), "a, b, c");
  EXPECT_EQ(join({}, ", "), "");
}

}  // namespace
}  // namespace kp

// SPDX-License-Identifier: Apache-2.0
#include "propose/llm/unified_diff.h"

#include <gtest/gtest.h>

namespace kp::propose {
namespace {

std::string patched(std::string_view original, std::string_view diff) {
  auto result = apply_diff(original, diff);
  if (const auto* fault = std::get_if<Fault>(&result)) return "fault: " + fault->sentence;
  return std::get<std::string>(result);
}

TEST(UnifiedDiff, goes_where_its_context_stands_whatever_the_numbers_say) {
  EXPECT_EQ(patched("a\nb\nc\n", "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"), "a\nB\nc\n");
  EXPECT_EQ(patched("a\nb\nc\n", "@@ -70,9 +1,2 @@\n-b\n+B\n"), "a\nB\nc\n");
  EXPECT_EQ(patched("a\nb\nc\n", "@@\n-b\n+B\n"), "a\nB\nc\n");
}

TEST(UnifiedDiff, takes_the_nearest_of_several_places) {
  EXPECT_EQ(patched("x\n1\nx\n2\nx\n", "@@ -3 +3 @@\n-x\n+y\n"), "x\n1\ny\n2\nx\n");
  EXPECT_EQ(patched("x\n1\nx\n", "@@\n-x\n+y\n").substr(0, 6), "fault:");
}

TEST(UnifiedDiff, has_several_hunks_in_order) {
  EXPECT_EQ(patched("a\nb\nc\nd\n", "@@ -1 +1 @@\n-a\n+A\n@@ -4 +4 @@\n-d\n+D\n+E\n\n\n"),
            "A\nb\nc\nD\nE\n");
  EXPECT_EQ(patched("a\nb\n", "@@ -2 +2 @@\n-b\n+B\n@@ -1 +1 @@\n-a\n+A\n").substr(0, 13),
            "fault: hunk 2");
}

TEST(UnifiedDiff, inserts_at_its_line_without_context) {
  EXPECT_EQ(patched("a\nb\n", "@@ -1,0 +2 @@\n+new\n"), "a\nnew\nb\n");
  EXPECT_EQ(patched("a\nb\n", "@@\n+new\n").substr(0, 6), "fault:");
}

TEST(UnifiedDiff, overlooks_blanks_at_line_ends_and_keeps_the_originals_context) {
  EXPECT_EQ(patched("a  \nb\n", "--- a\n+++ b\n@@ -1,2 +1,2 @@\n a\n-b  \n+B\n"), "a  \nB\n");
}

TEST(UnifiedDiff, refuses_what_does_not_fit) {
  EXPECT_EQ(patched("a\n", "@@ -1 +1 @@\n-z\n+y\n").substr(0, 13), "fault: hunk 1");
  EXPECT_EQ(patched("a\n", "nothing"), "fault: the diff has no hunk");
  EXPECT_FALSE(looks_like_diff("a + b\n- c\n"));
}

}  // namespace
}  // namespace kp::propose

// SPDX-License-Identifier: Apache-2.0
#include "report/diff.h"

#include "report/run_fixture.h"

namespace kp::report {
namespace {

TEST(UnifiedDiff, shows_what_was_taken_away_and_what_came) {
  const auto diff = unified_diff("a\nb\nc\n", "a\nB\nc\n");
  ASSERT_TRUE(diff) << diff.error().text();
  EXPECT_EQ(*diff, "--- before\n+++ after\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n");
}

TEST(UnifiedDiff, of_equal_texts_is_empty) { EXPECT_EQ(*unified_diff("a\n", "a\n"), ""); }

TEST(UnifiedDiff, takes_texts_that_are_empty_or_end_without_a_line_end) {
  EXPECT_NE(unified_diff("", "a")->find("+a"), std::string::npos);
  EXPECT_NE(unified_diff("a", "")->find("-a"), std::string::npos);
}

using ChangeOf = StoredRun;

TEST_F(ChangeOf, a_node_is_from_its_parent_and_not_from_the_root) {
  add_baseline();
  add(0, measured_in(50));
  add(1, measured_in(40));
  const std::string change = change_of(view(), 2);
  EXPECT_NE(change.find("-version 1\n"), std::string::npos) << change;
  EXPECT_EQ(change.find("two"), std::string::npos) << change;
}

TEST_F(ChangeOf, a_root_is_empty) {
  add_baseline();
  EXPECT_EQ(change_of(view(), 0), "");
}

TEST_F(ChangeOf, a_seed_below_a_virtual_root_is_its_whole_source) {
  add_virtual_root();
  add(0, measured_in(50));
  EXPECT_NE(change_of(view(), 1).find("+one\n+version 1\n"), std::string::npos);
}

}  // namespace
}  // namespace kp::report

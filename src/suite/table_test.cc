// SPDX-License-Identifier: Apache-2.0
#include "suite/table.h"

#include <gtest/gtest.h>

namespace kp::suite {
namespace {

const Table kTable{"Speed", {"A note."}, {"task", "x"}, {{"sum", "1.5x"}, {"a|b", "2"}}};

TEST(Table, AsTextHasColumnsOneBelowTheOther) {
  EXPECT_EQ(to_string(kTable, Form::kText),
            "Speed\n  A note.\n  task  x\n  sum   1.5x\n  a|b   2\n\n");
}

TEST(Table, AsMarkdownEscapesBars) {
  EXPECT_EQ(to_string(kTable, Form::kMarkdown),
            "## Speed\n\nA note.\n\n| task | x |\n|---|---|\n| sum | 1.5x |\n| a\\|b | 2 |\n\n");
}

}  // namespace
}  // namespace kp::suite

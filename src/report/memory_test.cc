// SPDX-License-Identifier: Apache-2.0
#include "report/memory.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace kp::report {
namespace {

Experience tried(const std::string& tool, const std::string& action, std::optional<double> gain,
                 const std::string& lesson = "") {
  Experience experience;
  experience.tool = tool;
  experience.action = action;
  experience.outcome = gain ? "measured" : "wrong answer";
  experience.gain = gain;
  experience.lesson = lesson;
  return experience;
}

const std::vector<Experience> kTried = {
    tried("coalescing", "transpose-tile", 2.0),
    tried("", "", 1.0),
    tried("coalescing", "transpose-tile", {}, "y is wrong"),
    tried("coalescing", "transpose-tile", 4.0),
    tried("occupancy", "shrink-block", {}, "old"),
    tried("occupancy", "shrink-block", {}, "the newest lesson")};

TEST(MemoryTable, counts_what_was_tried_and_what_worked) {
  EXPECT_EQ(memory_text(tried_lines(kTried)),
            "finding     action          tried  worked  median gain  last lesson\n"
            "coalescing  transpose-tile      3       2        3.00x  y is wrong\n"
            "occupancy   shrink-block        2       0            -  the newest lesson\n"
            "(none)      (own idea)          1       1        1.00x  -");
}

TEST(MemoryTable, has_no_gain_where_none_was_measured) {
  const auto json = memory_json(tried_lines(kTried));
  ASSERT_EQ(json.size(), 3u);
  EXPECT_EQ(json[0].at("median_gain"), 3.0);
  EXPECT_TRUE(json[1].at("median_gain").is_null());
  EXPECT_EQ(json[1].at("last_lesson"), "the newest lesson");
}

TEST(MemoryTable, says_that_nothing_was_tried) {
  EXPECT_EQ(memory_text({}), "nothing was tried yet");
}

}  // namespace
}  // namespace kp::report

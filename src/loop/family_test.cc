// SPDX-License-Identifier: Apache-2.0
#include "loop/family.h"

#include <gtest/gtest.h>

namespace kp::loop {
namespace {

Member measured(double ns) {
  Member member;
  Measured result;
  result.nanoseconds = ns;
  member.evaluation = Evaluation{result};
  return member;
}

TEST(Family, takes_the_first_measured_time_as_speedup_one) {
  Family family;
  EXPECT_EQ(family.judge(Member{}).fate, search::Fate::kVirtual);
  EXPECT_FALSE(family.reference_ns());
  EXPECT_DOUBLE_EQ(family.judge(measured(200)).speedup, 1);
  EXPECT_DOUBLE_EQ(family.judge(measured(50)).speedup, 4);
  EXPECT_DOUBLE_EQ(*family.reference_ns(), 200);
}

TEST(Family, prefers_the_ratio_that_was_measured_beside_the_baseline) {
  Family family;
  EXPECT_DOUBLE_EQ(family.judge(measured(200)).speedup, 1);
  Member beside = measured(50);
  std::get<Measured>(beside.evaluation->outcome).speedup = Speedup{3.5, 3.4, 3.6, 30};
  EXPECT_DOUBLE_EQ(family.judge(beside).speedup, 3.5) << "the GPU was slower in the meantime";
}

TEST(Family, tells_wrong_answers_from_broken_candidates) {
  Family family;
  Member wrong, crashed;
  wrong.evaluation = Evaluation{WrongAnswer{}};
  crashed.evaluation = Evaluation{Crashed{}};
  EXPECT_EQ(family.judge(wrong).fate, search::Fate::kWrong);
  EXPECT_EQ(family.judge(crashed).fate, search::Fate::kBroken);
}

TEST(Family, remembers_what_was_tried_at_each_node) {
  Family family;
  family.add(-1, measured(100), {"root", "", {}});
  family.add(0, measured(50), {"a", "pad-shared", {}});
  family.add(0, Member{}, {"b", "tune", {{"BLOCK", 64}}});
  ASSERT_EQ(family.at(0).attempts.size(), 2u);
  EXPECT_EQ(family.at(0).attempts[1].tune.at("BLOCK"), 64);
  EXPECT_TRUE(family.at(1).attempts.empty());
  EXPECT_EQ(family.known(), (std::vector<std::string>{"root", "a", "b"}));
}

TEST(Family, does_not_count_a_virtual_root_as_an_evaluation) {
  Family family;
  family.add(-1, Member{}, {"", "", {}});
  EXPECT_EQ(family.evaluations(), 0);
  family.add(0, measured(1), {"a", "", {}});
  EXPECT_EQ(family.evaluations(), 1);
}

}  // namespace
}  // namespace kp::loop

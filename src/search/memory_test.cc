// SPDX-License-Identifier: Apache-2.0
#include "search/memory.h"

#include <gtest/gtest.h>

namespace kp::search {
namespace {

Experience tried(std::vector<std::string> findings, std::string action, double gain) {
  Experience experience;
  experience.task = "softmax";
  experience.device = "vgpu:h200";
  experience.boundness = Boundness::kMemory;
  experience.findings = std::move(findings);
  experience.action = std::move(action);
  experience.outcome = "measured";
  experience.gain = gain;
  return experience;
}

const Situation kHere{"softmax", "vgpu:h200", Boundness::kMemory, {"vectorization", "occupancy"}};

TEST(Memory, TheSameSituationIsWhollyAlike) {
  EXPECT_DOUBLE_EQ(likeness(kHere, tried({"vectorization", "occupancy"}, "a", 1)), 1);
}

TEST(Memory, WhatIsAlikeFallsWithEachDifference) {
  const double same = likeness(kHere, tried({"vectorization", "occupancy"}, "a", 1));
  const double swapped = likeness(kHere, tried({"occupancy", "vectorization"}, "a", 1));
  const double partly = likeness(kHere, tried({"occupancy"}, "a", 1));
  const double other = likeness(kHere, tried({"divergence"}, "a", 1));
  EXPECT_GT(same, swapped);
  EXPECT_GT(swapped, partly);
  EXPECT_GT(partly, other);
  Experience elsewhere = tried({"vectorization", "occupancy"}, "a", 1);
  elsewhere.boundness = Boundness::kCompute;
  EXPECT_LT(likeness(kHere, elsewhere), same);
}

TEST(Memory, RecallsTheLikestFirstAndNothingUnlike) {
  Experience unlike = tried({"divergence"}, "branchless", 3);
  unlike.task = "scan";
  unlike.boundness = Boundness::kLatency;
  const std::vector<Experience> all = {unlike, tried({"occupancy"}, "launch-bounds", 1.1),
                                       tried({"vectorization", "occupancy"}, "widen-access", 1.4)};
  const auto recalled = recall(kHere, all, 5);
  ASSERT_EQ(recalled.size(), 2u);
  EXPECT_EQ(recalled[0].action, "widen-access");
  EXPECT_EQ(recalled[1].action, "launch-bounds");
}

TEST(Memory, TellsALessonOnceButSuccessAndFailureApart) {
  const std::vector<Experience> all = {tried(kHere.findings, "unroll", 1.5),
                                       tried(kHere.findings, "unroll", 1.6),
                                       tried(kHere.findings, "unroll", 0.5)};
  const auto recalled = recall(kHere, all, 5);
  ASSERT_EQ(recalled.size(), 2u);
  EXPECT_DOUBLE_EQ(*recalled[0].gain, 0.5);  // the newest among equals
  EXPECT_DOUBLE_EQ(*recalled[1].gain, 1.6);
}

TEST(Memory, GivesAtMostWhatIsWanted) {
  const std::vector<Experience> all = {tried(kHere.findings, "a", 2), tried(kHere.findings, "b", 2),
                                       tried(kHere.findings, "c", 2)};
  EXPECT_EQ(recall(kHere, all, 2).size(), 2u);
  EXPECT_TRUE(recall(kHere, all, 0).empty());
  EXPECT_TRUE(recall(kHere, {}, 3).empty());
}

}  // namespace
}  // namespace kp::search

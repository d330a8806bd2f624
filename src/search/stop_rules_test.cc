// SPDX-License-Identifier: Apache-2.0
#include "search/stop_rules.h"

#include <gtest/gtest.h>

namespace kp::search {
namespace {

std::string rule_for(const StopOptions& options, const Progress& progress) {
  const auto reason = first_reason(make_stop_rules(options), progress);
  return reason ? reason->rule : "";
}

TEST(StopRules, let_a_young_run_go_on) {
  EXPECT_EQ(rule_for({}, {.evaluations = 1, .any_correct = true}), "");
}

TEST(StopRules, end_a_run_whose_budget_is_spent) {
  StopOptions options;
  options.budget = 5;
  EXPECT_EQ(rule_for(options, {.evaluations = 4}), "");
  EXPECT_EQ(rule_for(options, {.evaluations = 5}), "budget");
}

TEST(StopRules, end_a_run_at_its_time_limit_only_when_there_is_one) {
  StopOptions options;
  EXPECT_EQ(rule_for(options, {.elapsed = std::chrono::hours(100)}), "");
  options.time = std::chrono::seconds(10);
  EXPECT_EQ(rule_for(options, {.elapsed = std::chrono::seconds(10)}), "time");
}

TEST(StopRules, count_no_progress_only_after_the_first_correct_candidate) {
  StopOptions options;
  options.budget = 1000;
  EXPECT_EQ(rule_for(options, {.evaluations = 90, .since_improvement = 90}), "");
  EXPECT_EQ(rule_for(options, {.evaluations = 90, .any_correct = true, .since_improvement = 90}),
            "no-progress");
}

TEST(StopRules, end_a_run_whose_asks_bring_nothing) {
  EXPECT_EQ(rule_for({}, {.evaluations = 1, .fruitless = kMostFruitless - 1}), "");
  EXPECT_EQ(rule_for({}, {.evaluations = 1, .fruitless = kMostFruitless}), "fruitless");
}

TEST(StopRules, prefer_the_roof_as_the_reason) {
  EXPECT_EQ(rule_for({}, {.evaluations = 1000, .best_at_roof = true, .exhausted = true}),
            "at-roof");
}

}  // namespace
}  // namespace kp::search

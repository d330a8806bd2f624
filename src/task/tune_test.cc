// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "task/task.h"

namespace kp::task {
namespace {

struct Setting {
  Task task;
  Plan plan;
};

Setting setting(const std::string& tunes) {
  const auto parsed = parse_plan("/* kernelpro\naxis n = 1024\ncheck n = 200\noutput y : f32[n]\n" +
                                     tunes + "\nlaunch k<<<1, 1>>>(y)\n*/",
                                 "k.cu");
  EXPECT_TRUE(parsed) << parsed.error().text();
  Setting out;
  out.task.declaration = parsed->declaration;
  out.task.workloads = parsed->workloads;
  out.plan = parsed->plan;
  return out;
}

std::vector<Bindings> choices(const std::string& tunes) {
  const Setting made = setting(tunes);
  const auto found = tune_choices(made.task, made.plan);
  EXPECT_TRUE(found) << found.error().text();
  return found.value_or(std::vector<Bindings>{});
}

TEST(TuneChoices, OfAPlanWithoutParametersAreOneEmptyChoice) {
  EXPECT_EQ(choices(""), (std::vector<Bindings>{{}}));
}

TEST(TuneChoices, ComeInOrderOfDeclarationWithTheDefaultFirst) {
  EXPECT_EQ(
      choices("tune B in 3, 1\ntune A in 2, 1"),
      (std::vector<Bindings>{
          {{"A", 2}, {"B", 3}}, {{"A", 1}, {"B", 3}}, {{"A", 2}, {"B", 1}}, {{"A", 1}, {"B", 1}}}));
}

TEST(TuneChoices, SatisfyTheConditionsForAllWorkloads) {
  EXPECT_EQ(choices("tune B in 256, 128, 64 where B <= n"),
            (std::vector<Bindings>{{{"B", 128}}, {{"B", 64}}}));
  // A condition may name parameters that are declared later.
  EXPECT_EQ(
      choices("tune A in 1, 2 where A < B\ntune B in 1, 2, 3"),
      (std::vector<Bindings>{{{"A", 1}, {"B", 2}}, {{"A", 1}, {"B", 3}}, {{"A", 2}, {"B", 3}}}));
  EXPECT_TRUE(choices("tune A in 1, 2 where n == 0").empty());
}

TEST(TuneChoices, AreLimited) {
  const Setting made = setting("tune A in 1, 2, 3, 4\ntune B in 1, 2, 3, 4");
  EXPECT_EQ(tune_choices(made.task, made.plan, 16)->size(), 16u);
  const auto many = tune_choices(made.task, made.plan, 15);
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error().code, ErrorCode::kLimit);
  EXPECT_EQ(many.error().text(),
            "k.cu:5:6: the plan has more than 15 tune variants\nhint: list fewer values or add a "
            "`where` condition");
}

TEST(TuneChoices, OfAnExplodingPlanEndSoon) {
  std::string tunes;
  for (int i = 0; i < 12; ++i) {
    const std::string name = "T" + std::to_string(i);
    tunes += "tune " + name + " in 1, 2, 3, 4, 5, 6, 7, 8 where T11 > 9\n";
  }
  const Setting made = setting(tunes);
  const auto many = tune_choices(made.task, made.plan);
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error().code, ErrorCode::kLimit);
}

TEST(TuneChoices, ReportAConditionThatCannotBeEvaluated) {
  const Setting made = setting("tune A in 0, 1 where n / A > 2");
  const auto broken = tune_choices(made.task, made.plan);
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().text(),
            "k.cu:5:6: `n / A > 2` divides by zero\nhint: check the axis and tune values that the "
            "divisor depends on");
}

}  // namespace
}  // namespace kp::task

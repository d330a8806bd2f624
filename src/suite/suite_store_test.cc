// SPDX-License-Identifier: Apache-2.0
#include "suite/suite_store.h"

#include <gtest/gtest.h>

#include "suite/results_fixture.h"

namespace kp::suite {
namespace {

class Store : public testing::Test {
 protected:
  Store() {
    suite_.name = "two";
    suite_.tasks = {{"a", "/tasks/a"}, {"b", "/tasks/b"}};
    suite_.seeds = {1, 2};
    suite_.devices = {"vgpu"};
    suite_.arms = {{kOnlyArm, {}}};
  }
  Path folder() const { return base_.path() / "out"; }
  SuiteStore open() {
    auto store = SuiteStore::open(folder(), suite_);
    EXPECT_TRUE(store) << store.error().text();
    return *std::move(store);
  }

  TemporaryFolder base_ = *TemporaryFolder::make();
  Suite suite_;
};

TEST_F(Store, KeepsWhatIsWantedInOrder) {
  auto store = open();
  const auto wanted = store.wanted();
  ASSERT_TRUE(wanted);
  ASSERT_EQ(wanted->size(), 4u);
  EXPECT_EQ((*wanted)[1].key, (RunKey{kOnlyArm, "a", 2}));
  EXPECT_EQ((*wanted)[3].path, "/tasks/b");
}

TEST_F(Store, GivesBackAResultAsItWas) {
  RunResult run = run_of("a", 1, 2);
  run.best->low = 1.9;
  run.best->high = 2.1;
  run.best->remarks = {"stateful: slower at first"};
  run.tokens = 1200;
  run.points[1].tokens = 1200;
  run.points[1].dollars = 0.25;
  run.yardsticks.push_back({"eager", "f32", Grade::kModelled, 900});
  auto store = open();
  ASSERT_TRUE(store.append(run));
  const auto results = store.results();
  ASSERT_TRUE(results) << results.error().text();
  ASSERT_EQ(results->size(), 1u);
  const RunResult& read = results->front();
  EXPECT_EQ(read.key, run.key);
  EXPECT_EQ(read.folder, run.folder);
  EXPECT_EQ(read.precision, "f32");
  EXPECT_EQ(read.tokens, 1200);
  EXPECT_FALSE(read.dollars);
  ASSERT_TRUE(read.best);
  EXPECT_EQ(read.best->remarks, run.best->remarks);
  EXPECT_EQ(read.best->high, 2.1);
  EXPECT_EQ(read.best->headroom, 2);
  ASSERT_EQ(read.points.size(), 2u);
  EXPECT_EQ(read.points[1].dollars, 0.25);
  EXPECT_FALSE(read.points[0].tokens);
  ASSERT_EQ(read.yardsticks.size(), 2u);
  EXPECT_EQ(read.yardsticks[1].name, "eager");
}

TEST_F(Store, WhatIsNotKnownStaysUnknown) {
  auto store = open();
  ASSERT_TRUE(store.append(failed_run("b", 2)));
  const auto results = store.results();
  ASSERT_TRUE(results);
  EXPECT_FALSE(results->front().best);
  EXPECT_FALSE(results->front().dollars);
}

TEST_F(Store, TheNewestResultOfARunCounts) {
  auto store = open();
  ASSERT_TRUE(store.append(quarantined_run("a", "does not compile")));
  ASSERT_TRUE(store.append(run_of("a", 1, 3)));
  const auto results = store.results();
  ASSERT_TRUE(results);
  ASSERT_EQ(results->size(), 1u);
  EXPECT_FALSE(results->front().quarantined);
}

TEST_F(Store, ATaskMayBeAddedToASuite) {
  { ASSERT_TRUE(open().append(run_of("a", 1, 2))); }
  suite_.tasks.push_back({"c", "/tasks/c"});
  auto store = open();
  EXPECT_EQ(store.wanted()->size(), 6u);
  EXPECT_EQ(store.results()->size(), 1u);
}

TEST_F(Store, ATaskKeepsThePlanThatItsRunsBeginWith) {
  suite_.tasks[1].from = "/plans/b.cu";
  { EXPECT_EQ(open().wanted()->at(2).from, "/plans/b.cu"); }
  { EXPECT_EQ(open().wanted()->at(1).from, "") << "its own"; }
  suite_.tasks[0].from = "/plans/a.cu";
  const auto late = SuiteStore::open(folder(), suite_);
  ASSERT_FALSE(late);
  EXPECT_NE(late.error().text().find("`a` was begun with its own baseline"), std::string::npos);
  suite_.tasks[0].from.clear();
  suite_.tasks[1].from = "/plans/other.cu";
  EXPECT_FALSE(SuiteStore::open(folder(), suite_));
  suite_.tasks[1].from = "/plans/b.cu";
  suite_.tasks.push_back({"c", "/tasks/c", "/plans/c.cu"});
  EXPECT_EQ(open().wanted()->back().from, "/plans/c.cu");
}

TEST_F(Store, AnArmWithOtherSettingsIsRefused) {
  { open(); }
  suite_.arms[0].settings.stop.budget = 7;
  const auto again = SuiteStore::open(folder(), suite_);
  ASSERT_FALSE(again);
  EXPECT_NE(again.error().text().find("was begun with other settings"), std::string::npos);
}

TEST_F(Store, TwoProcessesDoNotRunOneSuite) {
  auto store = open();
  const auto second = SuiteStore::open(folder(), suite_);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kBusy);
  EXPECT_TRUE(SuiteStore::open(folder(), Sqlite::Access::kRead));
}

TEST_F(Store, AFolderWithoutResultsSaysSo) {
  const auto none = SuiteStore::open(base_.path(), Sqlite::Access::kRead);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::kNotFound);
}

TEST_F(Store, AnotherVersionOfTheFileIsRefused) {
  { open(); }
  {
    auto database = Sqlite::open(folder() / "suite.db", Sqlite::Access::kWrite);
    ASSERT_TRUE(database->execute("UPDATE meta SET value = '99' WHERE key = 'schema'"));
  }
  const auto other = SuiteStore::open(folder(), Sqlite::Access::kRead);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::kUnsupported);
}

TEST_F(Store, MomentsAndNoiseComeBackInOrder) {
  auto store = open();
  ASSERT_TRUE(store.append_moment({kOnlyArm, "a", 1}, 0, 0.5));
  ASSERT_TRUE(store.append_moment({kOnlyArm, "a", 2}, 0, 9));
  ASSERT_TRUE(store.append_moment({kOnlyArm, "a", 1}, 1, 1.5));
  const std::vector<std::pair<int, double>> expected{{0, 0.5}, {1, 1.5}};
  EXPECT_EQ(store.moments({kOnlyArm, "a", 1}), expected);
  ASSERT_TRUE(store.append(Noise{"a", "vgpu:h200", "H200", Grade::kModelled, 1.0, {}, {}}));
  ASSERT_EQ(store.noise()->size(), 1u);
  EXPECT_FALSE(store.noise()->front().low);
}

}  // namespace
}  // namespace kp::suite

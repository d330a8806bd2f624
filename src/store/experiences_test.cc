// SPDX-License-Identifier: Apache-2.0
#include "store/experiences.h"

#include <gtest/gtest.h>

#include "store/run_store.h"

namespace kp::store {
namespace {

Diagnosis found(std::vector<std::string> tools, Boundness boundness = Boundness::kMemory) {
  Diagnosis diagnosis;
  diagnosis.boundness = boundness;
  for (std::string& tool : tools) diagnosis.findings.emplace_back().tool = std::move(tool);
  return diagnosis;
}

Evaluation measured(double ns) {
  Measured measured;
  measured.nanoseconds = ns;
  return {.outcome = measured, .depth = Depth::kQuick, .device = "", .wall_seconds = 0};
}

class Experiences : public testing::Test {
 protected:
  void SetUp() override {
    auto store = RunStore::create(folder(), {{"task_name", "softmax"}, {"device", "vgpu:h200"}});
    ASSERT_TRUE(store) << store.error().text();
    store_ = *std::move(store);
    add({}, measured(100), found({"bank_conflict", "occupancy", "bank_conflict"}));
  }
  Path folder() const { return base_.path() / "run"; }
  void append(const Record& record) {
    const auto appended = store_->append(record);
    ASSERT_TRUE(appended) << appended.error().text();
  }
  void add(std::optional<int> parent, Evaluation evaluation, std::optional<Diagnosis> diagnosis) {
    ProposalRecord proposal{
        .id = count_,
        .ask = {},
        .source = "k",
        .idea = "an idea",
        .tool = parent ? "bank_conflict" : "",
        .action = parent ? "pad-shared" : "",
        .predicted = {1, 2},
        .sources = parent ? std::vector<std::string>{"a.h"} : std::vector<std::string>{}};
    append(proposal);
    append(
        NodeRecord{count_, parent, count_, "c", std::move(evaluation), {}, std::move(diagnosis)});
    ++count_;
  }

  TemporaryFolder base_ = *TemporaryFolder::make();
  std::optional<RunStore> store_;
  int count_ = 0;
};

TEST_F(Experiences, tell_what_was_tried_for_which_findings_with_which_outcome) {
  add(0, measured(50), found({}));
  const auto list = *store_->experiences();
  ASSERT_EQ(list.size(), 1u) << "a baseline is no experience";
  EXPECT_EQ(list[0].task, "softmax");
  EXPECT_EQ(list[0].device, "vgpu:h200");
  EXPECT_FALSE(list[0].run.empty());
  EXPECT_EQ(list[0].boundness, Boundness::kMemory);
  EXPECT_EQ(list[0].findings, (std::vector<std::string>{"bank_conflict", "occupancy"}));
  EXPECT_EQ(list[0].parent, 0);
  EXPECT_EQ(list[0].node, 1);
  EXPECT_EQ(list[0].tool, "bank_conflict");
  EXPECT_EQ(list[0].action, "pad-shared");
  EXPECT_EQ(list[0].idea, "an idea");
  EXPECT_EQ(list[0].outcome, "measured");
  EXPECT_EQ(list[0].lesson, "");
  EXPECT_EQ(list[0].gain, 2);
  EXPECT_EQ(list[0].sources, std::vector<std::string>{"a.h"});
}

TEST_F(Experiences, draw_a_lesson_of_one_line_from_a_failure) {
  BuildFailed failed;
  failed.log = "note: the file\nk.cu(3): error: no such thing\nk.cu(4): error: another\n";
  add(0, {.outcome = failed, .depth = Depth::kQuick, .device = "", .wall_seconds = 0}, {});
  WrongAnswer wrong;
  wrong.message = "y is wrong";
  wrong.gate = "row";
  add(0, {.outcome = wrong, .depth = Depth::kQuick, .device = "", .wall_seconds = 0}, {});
  const auto list = *store_->experiences();
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].outcome, "build failed");
  EXPECT_EQ(list[0].lesson, "k.cu(3): error: no such thing");
  EXPECT_EQ(list[1].lesson.find("y is wrong (gate row"), 0u) << list[1].lesson;
  EXPECT_EQ(list[1].gain, std::nullopt);
}

TEST_F(Experiences, of_a_repair_are_about_the_findings_of_the_version_above_that_ran) {
  add(0, {.outcome = WrongAnswer{}, .depth = Depth::kQuick, .device = "", .wall_seconds = 0}, {});
  add(1, measured(80), found({"divergence"}));
  const auto list = *store_->experiences(1);
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].findings.front(), "bank_conflict");
  EXPECT_EQ((*store_->diagnosis_near(1))->findings.front().tool, "bank_conflict");
  EXPECT_EQ((*store_->diagnosis_near(2))->findings.front().tool, "divergence");
}

TEST_F(Experiences, know_what_was_learned_of_the_parent_before_they_were_made) {
  append(ProfileRecord{0, {}, found({"coalescing"}, Boundness::kLatency)});
  add(0, measured(80), found({}));
  append(ProfileRecord{0, {}, found({"divergence"})});
  const auto list = *store_->experiences();
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].boundness, Boundness::kLatency);
  EXPECT_EQ(list[0].findings, std::vector<std::string>{"coalescing"});
}

TEST_F(Experiences, are_made_up_for_a_run_of_a_program_that_kept_none) {
  add(0, measured(50), found({}));
  store_.reset();
  {
    auto database = *Sqlite::open(folder() / "run.db", Sqlite::Access::kWrite);
    ASSERT_TRUE(database.execute("DROP TABLE experience"));
  }
  EXPECT_EQ(RunStore::open(folder(), Sqlite::Access::kRead)->experiences()->size(), 0u)
      << "who reads changes nothing";
  auto again = RunStore::share(folder());
  ASSERT_TRUE(again) << again.error().text();
  const auto list = *again->experiences();
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].findings.front(), "bank_conflict");
}

}  // namespace
}  // namespace kp::store

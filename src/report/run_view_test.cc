// SPDX-License-Identifier: Apache-2.0
#include "report/run_view.h"

#include "report/run_fixture.h"

namespace kp::report {
namespace {

using RunViewOf = StoredRun;

TEST_F(RunViewOf, the_fastest_is_best_while_nothing_was_judged_at_full_depth) {
  add_baseline();
  add(0, measured_in(50));
  add(0, measured_in(40));
  add(0, wrong());
  EXPECT_EQ(view().best(), 2);
}

TEST_F(RunViewOf, a_node_judged_at_full_depth_is_preferred_to_a_faster_one_that_was_not) {
  add_baseline();
  add(0, measured_in(50));
  add(0, measured_in(40));
  judge_fully(1, measured_in(55, Depth::kFinal));
  EXPECT_EQ(view().best(), 1);
}

TEST_F(RunViewOf, a_node_that_failed_at_full_depth_is_never_best) {
  add_baseline();
  add(0, measured_in(20));
  judge_fully(1, wrong(Depth::kFinal));
  EXPECT_EQ(view().best(), 0);
}

TEST_F(RunViewOf, the_newest_judgement_at_full_depth_counts) {
  add_baseline();
  add(0, measured_in(20));
  judge_fully(1, wrong(Depth::kFinal));
  judge_fully(1, measured_in(25, Depth::kFinal));
  EXPECT_EQ(view().best(), 1);
}

TEST_F(RunViewOf, a_speedup_uses_full_depth_only_when_both_times_have_it) {
  add_baseline();
  add(0, measured_in(50));
  judge_fully(1, measured_in(40, Depth::kFinal));
  EXPECT_DOUBLE_EQ(*view().speedup(1), 2.0) << "the root has a quick time only";
  judge_fully(0, measured_in(120, Depth::kFinal));
  EXPECT_DOUBLE_EQ(*view().speedup(1), 3.0);
  EXPECT_DOUBLE_EQ(*view().speedup(0), 1.0);
}

TEST_F(RunViewOf, a_failed_node_has_no_speedup) {
  add_baseline();
  add(0, wrong());
  EXPECT_EQ(view().speedup(1), std::nullopt);
}

TEST_F(RunViewOf, a_path_leads_from_the_root_to_the_node) {
  add_baseline();
  add(0, measured_in(50));
  add(0, measured_in(60));
  add(1, measured_in(40));
  EXPECT_EQ(view().path_to(3), (std::vector<int>{0, 1, 3}));
  EXPECT_EQ(view().path_to(0), std::vector<int>{0});
  EXPECT_EQ(view().nodes[0].children, (std::vector<int>{1, 2}));
}

TEST_F(RunViewOf, a_node_knows_its_proposal_and_the_ask_that_led_to_it) {
  add_baseline();
  add(0, measured_in(50));
  const RunView run = view();
  EXPECT_EQ(run.at(1).proposal->idea, "idea 1");
  EXPECT_EQ(run.at(1).ask->why, "is the best so far");
  EXPECT_EQ(run.at(0).ask, std::nullopt);
  EXPECT_EQ(run.meta.at("seed"), "7");
}

TEST_F(RunViewOf, a_virtual_root_has_neither_proposal_nor_speedup) {
  add_virtual_root();
  EXPECT_EQ(view().best(), -1);
  EXPECT_FALSE(view().at(0).proposal);
  EXPECT_FALSE(view().speedup(0));
  add(0, measured_in(50));
  EXPECT_EQ(view().best(), 1);
  EXPECT_DOUBLE_EQ(*view().speedup(1), 2.0) << "as it was stored";
}

TEST_F(RunViewOf, a_run_without_a_correct_version_has_no_best) {
  add_virtual_root();
  add(0, wrong());
  EXPECT_EQ(view().best(), -1);
}

TEST_F(RunViewOf, the_newest_ending_counts) {
  add_baseline();
  append(store::EndingRecord{"interrupted", "interrupted"});
  append(store::EndingRecord{"budget", "the budget of 5 evaluations is spent"});
  EXPECT_EQ(view().ending->rule, "budget");
}

TEST_F(RunViewOf, a_run_that_judged_nothing_cannot_be_shown_but_can_be_resumed) {
  const auto run = read_run(folder());
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, ErrorCode::kInvalidInput);
  EXPECT_NE(run.error().text().find("kernelpro resume"), std::string::npos);
}

TEST_F(RunViewOf, there_is_none_in_an_empty_folder) {
  const auto run = read_run(folder() / "nowhere");
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, ErrorCode::kNotFound);
}

class Damage : public StoredRun {
 protected:
  /// Changes what the store itself would refuse to write.
  void spoil(const std::string& statement) {
    auto database = Sqlite::open(folder() / "run.db", Sqlite::Access::kWrite);
    ASSERT_TRUE(database) << database.error().text();
    ASSERT_TRUE(database->execute("PRAGMA foreign_keys = OFF"));
    const auto done = database->execute(statement);
    ASSERT_TRUE(done) << done.error().text();
  }
  void expect_corrupt() {
    const auto run = read_run(folder());
    ASSERT_FALSE(run);
    EXPECT_EQ(run.error().code, ErrorCode::kCorrupt) << run.error().text();
    EXPECT_FALSE(run.error().hint.empty());
  }
};

TEST_F(Damage, is_a_parent_that_is_not_there) {
  add_baseline();
  add(0, measured_in(50));
  spoil("UPDATE node SET parent = 9 WHERE id = 1");
  expect_corrupt();
}

TEST_F(Damage, is_a_second_root) {
  add_baseline();
  add(0, measured_in(50));
  spoil("UPDATE node SET parent = NULL WHERE id = 1");
  expect_corrupt();
}

TEST_F(Damage, is_a_proposal_that_is_not_there) {
  add_baseline();
  add(0, measured_in(50));
  spoil("UPDATE node SET proposal = 9 WHERE id = 1");
  expect_corrupt();
}

TEST_F(Damage, is_an_ask_that_is_not_there) {
  add_baseline();
  add(0, measured_in(50));
  spoil("UPDATE proposal SET ask = 9 WHERE id = 1");
  expect_corrupt();
}

TEST_F(Damage, is_a_judgement_of_a_node_that_is_not_there) {
  add_baseline();
  judge_fully(0, measured_in(90, Depth::kFinal));
  spoil("UPDATE final SET node = 9");
  expect_corrupt();
}

TEST_F(StoredRun, shows_what_all_metrics_of_a_node_said_in_place_of_its_first_profile) {
  add_baseline();
  store::ProfileRecord later;
  later.profile.workload = "all";
  later.diagnosis.why = "latency: warps wait";
  append(later);
  const RunView run = view();
  EXPECT_EQ(run.at(0).node.diagnosis->why, "latency: warps wait");
  EXPECT_EQ(run.at(0).node.evaluation->measured()->profile.workload, "all");
}

TEST_F(StoredRun, whose_later_profile_is_of_no_node_is_damaged) {
  add_baseline();
  append(store::ProfileRecord{7, {}, {}});
  const auto run = read_run(folder());
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace kp::report

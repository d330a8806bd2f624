// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "store/run_store.h"

namespace kp::store {
namespace {

class Events : public testing::Test {
 protected:
  void append(const Record& record) {
    const auto appended = store_.append(record);
    ASSERT_TRUE(appended) << appended.error().text();
  }
  /// A baseline of 100 ns, an ask, and a child that is twice as fast.
  void append_first_steps() {
    append(ProposalRecord{.source = "one", .candidate = "c0"});
    append(node(0, 100));
    append(AskRecord{0, 0, "improve", "it is the best", false});
    append(ProposalRecord{.id = 1,
                          .ask = 0,
                          .source = "two",
                          .tune = {{"B", 2}},
                          .idea = "an idea",
                          .action = "pad",
                          .sources = {"a.h"},
                          .candidate = "c1"});
    append(node(1, 50));
    append(CloseRecord{0, false});
  }
  static NodeRecord node(int id, double ns) {
    NodeRecord record;
    record.id = id;
    if (id > 0) record.parent = 0;
    record.proposal = id;
    record.candidate = "c" + std::to_string(id);
    Measured measured;
    measured.nanoseconds = ns;
    record.evaluation = Evaluation{measured};
    record.speedup = 100 / ns;
    record.diagnosis.emplace();
    return record;
  }

  TemporaryFolder base_ = *TemporaryFolder::make();
  RunStore store_ = *RunStore::create(base_.path() / "run", {});
};

TEST_F(Events, say_in_order_what_the_search_must_hear_again) {
  append_first_steps();
  const auto events = *store_.events(0);
  ASSERT_EQ(events.size(), 6u);
  EXPECT_EQ(std::get<ProposalSummary>(events[0].what).ask, std::nullopt);
  EXPECT_EQ(std::get<AskRecord>(events[2].what).why, "it is the best");
  EXPECT_EQ(std::get<ProposalSummary>(events[3].what).candidate, "c1");
  const auto& child = std::get<NodeSummary>(events[4].what);
  EXPECT_EQ(child.parent, 0);
  EXPECT_EQ(child.outcome, "measured");
  EXPECT_EQ(child.ns, 50);
  EXPECT_EQ(child.speedup, 2);
  EXPECT_FALSE(child.at_roof);
  EXPECT_EQ(std::get<CloseRecord>(events[5].what).ask, 0);
}

TEST_F(Events, begin_after_the_last_that_was_heard) {
  append_first_steps();
  const auto all = *store_.events(0);
  append(AskRecord{1, 1, "improve", "", true});
  const auto later = *store_.events(all.back().number);
  ASSERT_EQ(later.size(), 1u);
  EXPECT_TRUE(std::get<AskRecord>(later[0].what).volunteered);
}

TEST_F(Events, leave_out_what_the_search_never_hears) {
  append_first_steps();
  const auto before = store_.events(0)->size();
  append(NoteRecord{0, "the model declined once"});
  append(FinalRecord{1, {}});
  append(EndingRecord{"budget", "it is spent"});
  EXPECT_EQ(store_.events(0)->size(), before);
}

TEST_F(Events, of_a_later_profile_say_whether_the_node_is_at_its_roof) {
  append_first_steps();
  ProfileRecord later;
  later.node = 1;
  later.diagnosis.at_roof = true;
  append(later);
  const auto event = store_.events(0)->back().what;
  EXPECT_EQ(std::get<ProfileSummary>(event).node, 1);
  EXPECT_TRUE(std::get<ProfileSummary>(event).at_roof);
  EXPECT_TRUE(store_.node(1)->diagnosis->at_roof) << "a node is read with what was learned later";
}

TEST_F(Events, whose_rows_are_missing_are_damage) {
  append_first_steps();
  auto database = *Sqlite::open(base_.path() / "run" / "run.db", Sqlite::Access::kWrite);
  ASSERT_TRUE(database.execute("DELETE FROM close"));
  const auto events = store_.events(0);
  ASSERT_FALSE(events);
  EXPECT_EQ(events.error().code, ErrorCode::kCorrupt);
}

TEST_F(Events, are_accompanied_by_what_was_tried_at_a_node) {
  append_first_steps();
  const auto tried = *store_.tried_at(0);
  ASSERT_EQ(tried.size(), 1u);
  EXPECT_EQ(tried[0].candidate, "c1");
  EXPECT_EQ(tried[0].tune.at("B"), 2);
  EXPECT_EQ(tried[0].idea, "an idea");
  EXPECT_FALSE(tried[0].summary.empty());
  EXPECT_EQ(tried[0].gain, 2);
  EXPECT_TRUE(store_.tried_at(1)->empty());
  EXPECT_EQ(store_.proposal(1)->sources, std::vector<std::string>{"a.h"});
}

TEST_F(Events, of_a_change_that_is_not_committed_never_happened) {
  append_first_steps();
  const auto before = store_.events(0)->size();
  {
    auto change = store_.change();
    ASSERT_TRUE(change);
    ASSERT_TRUE(store_.insert(AskRecord{1, 0, "improve", "", false}));
    EXPECT_EQ(store_.events(0)->size(), before + 1);
  }
  EXPECT_EQ(store_.events(0)->size(), before);
}

TEST_F(Events, remember_only_what_is_new) {
  ASSERT_TRUE(store_.remember({{"device", "vgpu:h200"}}));
  ASSERT_TRUE(store_.remember({{"device", "cuda:0"}, {"product", "H200"}}));
  EXPECT_EQ(store_.meta()->at("device"), "vgpu:h200");
  EXPECT_EQ(store_.meta()->at("product"), "H200");
}

}  // namespace
}  // namespace kp::store

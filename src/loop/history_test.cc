// SPDX-License-Identifier: Apache-2.0
#include "loop/history.h"

#include <gtest/gtest.h>

namespace kp::loop {
namespace {

using store::AskRecord;
using store::CloseRecord;
using store::NodeSummary;
using store::ProfileSummary;
using store::ProposalSummary;

NodeSummary measured(int id, std::optional<int> parent, double ns, double speedup) {
  return {id, parent, id, "c" + std::to_string(id), "measured", ns, speedup, false};
}

class HistoryTest : public testing::Test {
 protected:
  void hear(const store::Summary& event) {
    const auto taken = history_.take(event);
    ASSERT_TRUE(taken) << taken.error().text();
  }
  void refuse(const store::Summary& event, const std::string& why) {
    const auto taken = history_.take(event);
    ASSERT_FALSE(taken);
    EXPECT_EQ(taken.error().code, ErrorCode::kCorrupt);
    EXPECT_NE(taken.error().message.find(why), std::string::npos) << taken.error().message;
  }
  void plant() {
    hear(ProposalSummary{0, std::nullopt, "c0"});
    hear(measured(0, std::nullopt, 100, 1));
  }
  /// What the search asks for now, as the store would keep it.
  AskRecord drawn() {
    const auto ask = history_.draw();
    return {history_.next_ask(), ask->node, std::string(name_of(ask->role)), ask->why, false};
  }
  History history_{"mcts", 1};
};

TEST_F(HistoryTest, keeps_several_asks_open_whose_nodes_come_in_any_order) {
  plant();
  hear(drawn());
  hear(drawn());
  ASSERT_EQ(history_.open().size(), 2u);
  hear(ProposalSummary{1, 0, "c1"});
  hear(ProposalSummary{2, 1, "c2"});
  hear(ProposalSummary{3, 0, "c3"});
  hear(NodeSummary{1, 0, 2, "c2", "measured", 50, 2, false});
  EXPECT_EQ(history_.next_pending(0), 1);
  EXPECT_EQ(history_.next_pending(1), std::nullopt);
  EXPECT_TRUE(history_.open().at(1).answered);
  hear(CloseRecord{1, false});
  hear(NodeSummary{2, 0, 3, "c3", "wrong answer", {}, {}, false});
  hear(NodeSummary{3, 0, 1, "c1", "crashed", {}, {}, false});
  hear(CloseRecord{0, false});
  EXPECT_TRUE(history_.pending().empty());
  EXPECT_TRUE(history_.open().empty());
  EXPECT_EQ(history_.tree().node(0).children.size(), 3u);
  EXPECT_EQ(history_.tree().node(0).open_asks, 0);
  EXPECT_EQ(history_.tree().node(2).trial.fate, search::Fate::kWrong);
  EXPECT_EQ(history_.tree().node(3).trial.fate, search::Fate::kBroken);
}

TEST_F(HistoryTest, leaves_the_search_out_of_asks_that_somebody_volunteered) {
  plant();
  hear(AskRecord{0, 0, "improve", "", true});
  EXPECT_EQ(history_.tree().node(0).open_asks, 0);
  hear(ProposalSummary{1, 0, "c1"});
  hear(measured(1, 0, 50, 2));
  hear(CloseRecord{0, false});
  EXPECT_EQ(history_.tree().node(0).open_asks, 0);
  EXPECT_EQ(history_.tree().best(), 1);
}

TEST_F(HistoryTest, refuses_an_ask_that_the_search_would_not_have_made) {
  plant();
  hear(drawn());
  hear(ProposalSummary{1, 0, "c1"});
  hear(measured(1, 0, 90, 1.1));
  hear(CloseRecord{0, true});
  refuse(AskRecord{1, 0, "improve", "", false}, "ask 1 was for node 0");
}

TEST_F(HistoryTest, refuses_rows_that_refer_to_nothing) {
  refuse(AskRecord{0, 0, "improve", "", false}, "for no node");
  plant();
  refuse(ProposalSummary{1, 4, "c1"}, "answers no open ask");
  refuse(CloseRecord{4, false}, "not open");
  refuse(measured(5, 0, 50, 2), "out of order");
  refuse(measured(1, 0, 50, 2), "has no proposal");
  refuse(ProfileSummary{3, false}, "before it was judged");
}

TEST_F(HistoryTest, takes_the_first_measured_time_as_speedup_one) {
  hear(NodeSummary{0, {}, {}, "", "virtual", {}, {}, false});
  Measured measured_first;
  measured_first.nanoseconds = 200;
  EXPECT_FALSE(history_.reference_ns());
  EXPECT_DOUBLE_EQ(history_.speedup_of(measured_first), 1);
  hear(drawn());
  hear(ProposalSummary{1, 0, "c1"});
  hear(measured(1, 0, 200, 1));
  Measured faster;
  faster.nanoseconds = 50;
  EXPECT_DOUBLE_EQ(history_.speedup_of(faster), 4);
  faster.speedup = Speedup{3.5, 3.4, 3.6, 30};
  EXPECT_DOUBLE_EQ(history_.speedup_of(faster), 3.5) << "the GPU was slower in the meantime";
}

TEST_F(HistoryTest, does_not_count_a_virtual_root_as_an_evaluation) {
  EXPECT_EQ(history_.progress().evaluations, 0);
  hear(NodeSummary{0, {}, {}, "", "virtual", {}, {}, false});
  EXPECT_EQ(history_.progress().evaluations, 0);
  EXPECT_FALSE(history_.progress().any_correct);
  hear(drawn());
  hear(ProposalSummary{1, 0, "c1"});
  hear(measured(1, 0, 200, 1));
  EXPECT_EQ(history_.progress().evaluations, 1);
}

TEST_F(HistoryTest, knows_how_long_nothing_got_better_and_when_the_best_is_at_its_roof) {
  plant();
  hear(drawn());
  hear(ProposalSummary{1, 0, "c1"});
  hear(ProposalSummary{2, 0, "c2"});
  hear(measured(1, 0, 50, 2));
  hear(NodeSummary{2, 0, 2, "c2", "wrong answer", {}, {}, false});
  EXPECT_EQ(history_.progress().since_improvement, 1);
  EXPECT_FALSE(history_.progress().best_at_roof);
  EXPECT_FALSE(history_.fully_profiled(1));
  hear(ProfileSummary{1, true});
  EXPECT_TRUE(history_.progress().best_at_roof);
  EXPECT_TRUE(history_.fully_profiled(1));
}

TEST_F(HistoryTest, finds_the_proposal_of_a_candidate) {
  plant();
  hear(drawn());
  hear(ProposalSummary{1, 0, "c1"});
  EXPECT_EQ(history_.proposal_of("c1"), 1);
  EXPECT_EQ(history_.proposal_of("c2"), std::nullopt);
  EXPECT_EQ(history_.known(), (std::vector<std::string>{"c0", "c1"}));
}

}  // namespace
}  // namespace kp::loop

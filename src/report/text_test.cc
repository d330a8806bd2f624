// SPDX-License-Identifier: Apache-2.0
#include "report/text.h"

#include "report/run_fixture.h"

namespace kp::report {
namespace {

using TextOf = StoredRun;

TEST_F(TextOf, a_tree_aligns_its_columns_and_marks_the_way_to_the_best) {
  add_baseline();
  add(0, measured_in(50));
  add(1, measured_in(8));
  add(0, wrong());
  EXPECT_EQ(tree_text(view()),
            "+ #0         1.00x  the baseline\n"
            "+ #1         2.00x    idea 1\n"
            "* #2        12.50x      idea 2\n"
            "  #3  wrong answer    idea 3\n"
            "* best   + on the way to it\n");
}

TEST_F(TextOf, a_tree_without_a_correct_version_marks_nothing) {
  add_virtual_root();
  add(0, wrong());
  EXPECT_EQ(tree_text(view()),
            "  #0  virtual root  \n"
            "  #1  wrong answer    idea 1\n");
}

TEST_F(TextOf, a_tree_ends_with_what_waits_for_somebody) {
  add_baseline();
  append(store::AskRecord{7, 0, "improve", "is the best so far"});
  append(store::AskRecord{8, 0, "improve", "is the best so far"});
  append(store::ProposalRecord{9, 8, "x", {}, "an idea", "", "", {}});
  EXPECT_EQ(tree_text(view()),
            "* #0  1.00x  the baseline\n"
            "* best   + on the way to it\n"
            "waits for an answer: #0 improve\n"
            "waits to be judged: proposal 9: an idea\n");
}

TEST_F(TextOf, an_explanation_holds_what_the_proposer_noted) {
  add_baseline();
  append(store::AskRecord{1, 0, "improve", "is the best so far"});
  append(store::NoteRecord{1, "the reply had no plan"});
  append(store::ProposalRecord{1, 1, "x", {}, "an idea", "", "", {}});
  append(store::NodeRecord{1, 0, 1, "c1", wrong(), {}, {}});
  append(store::CloseRecord{1, false});
  EXPECT_NE(explanation(view(), 1).find("note       the reply had no plan\n"), std::string::npos);
  EXPECT_TRUE(view().unanswered.empty());
  EXPECT_TRUE(view().pending.empty());
}

TEST_F(TextOf, an_explanation_tells_why_what_was_predicted_and_what_was_gained) {
  add_baseline();
  add(0, measured_in(50));
  add(1, measured_in(40));
  const std::string text = explanation(view(), 2);
  EXPECT_TRUE(
      text.starts_with("#2, child of #1: idea 2\n"
                       "  why        #1 is the best so far\n"
                       "  tune       BLOCK=128\n"
                       "  advice     pad-shared, by bank_conflict\n"
                       "  predicted  1.20x to 2.50x over #1\n"
                       "  gained     1.25x over #1\n"
                       "  overall    2.50x over the root\n"
                       "\n"
                       "measured"))
      << text;
}

TEST_F(TextOf, an_explanation_of_a_failure_says_what_went_wrong) {
  add_baseline();
  add(0, wrong());
  const std::string text = explanation(view(), 1);
  EXPECT_NE(text.find("gained     nothing: wrong answer\n"), std::string::npos) << text;
  EXPECT_NE(text.find("y is wrong"), std::string::npos) << text;
  EXPECT_EQ(text.find("overall"), std::string::npos) << text;
}

TEST_F(TextOf, an_explanation_prefers_the_judgement_at_full_depth) {
  add_baseline();
  add(0, measured_in(50));
  judge_fully(1, measured_in(45, Depth::kFinal));
  const std::string text = explanation(view(), 1);
  EXPECT_NE(text.find("45 ns"), std::string::npos) << text;
  EXPECT_NE(text.find("final depth"), std::string::npos) << text;
}

TEST_F(TextOf, a_root_has_no_why) {
  add_baseline();
  const std::string text = explanation(view(), 0);
  EXPECT_TRUE(text.starts_with("#0: the baseline\n\nmeasured")) << text;
  EXPECT_EQ(text.find("  why"), std::string::npos) << text;
}

TEST(TextOfDiagnosis, names_the_class_once) {
  EXPECT_EQ(text_of(memory_bound()),
            "memory-bound: the work has 0.5 FLOP/byte\nno tool found anything\n");
}

TEST(TextOfEvaluation, keeps_the_lines_of_a_build_log) {
  const Evaluation failed{BuildFailed{"k.cu:3: error\n", {}}, Depth::kQuick, "vgpu:h200", 0, {}};
  EXPECT_EQ(text_of(failed), "build failed (quick depth, on vgpu:h200)\nk.cu:3: error\n");
}

TEST(TextOfEvaluation, prints_an_interval_only_when_there_is_one) {
  Evaluation evaluation = measured_in(2000);
  EXPECT_EQ(text_of(evaluation).find("95 %"), std::string::npos);
  auto& measured = std::get<Measured>(evaluation.outcome);
  measured.grade = Grade::kMeasured;
  measured.workloads = {{"time-64x64", 2000, 1900, 2100}};
  EXPECT_NE(text_of(evaluation).find("2 us measured (95 %: 1.9 us to 2.1 us)"), std::string::npos)
      << text_of(evaluation);
}

}  // namespace
}  // namespace kp::report

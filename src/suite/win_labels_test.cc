// SPDX-License-Identifier: Apache-2.0
#include "suite/win_labels.h"

#include "propose/rewrite.h"
#include "report/run_fixture.h"

namespace kp::suite {
namespace {

std::string plan(int launches) {
  std::string text = "/* kernelpro\n";
  for (int i = 0; i < launches; ++i) text += "launch k<<<1, 32>>>(x)\n";
  return text + "*/\n";
}

class WinLabels : public report::StoredRun {
 protected:
  void SetUp() override {
    append(store::ProposalRecord{0, std::nullopt, plan(2), {}, "the baseline", "", "", {}});
    append(store::NodeRecord{0, std::nullopt, 0, "c0", report::measured_in(100), 1.0, {}});
  }
  /// The next version, below the one before it.
  void step(const std::string& action, int launches = 2) {
    const int id = ++last_;
    append(store::AskRecord{id, id - 1, "improve", "is the best so far"});
    append(store::ProposalRecord{id, id, plan(launches), {}, "idea", "tool", action, {}});
    append(store::NodeRecord{id,
                             id - 1,
                             id,
                             "c" + std::to_string(id),
                             report::measured_in(100.0 / (id + 1)),
                             id + 1.0,
                             {}});
  }
  std::vector<std::string> labels() { return win_labels(view(), last_); }

 private:
  int last_ = 0;
};

using Labels = std::vector<std::string>;

TEST_F(WinLabels, FollowFromTheActionsOnTheWay) {
  step("widen-access");
  EXPECT_EQ(labels(), Labels{"kernel"});
  step("fast-math");
  EXPECT_EQ(labels(), (Labels{"kernel", "precision"}));
}

TEST_F(WinLabels, OneStepThatNobodyNamedLeavesTheWinUnknown) {
  step("widen-access");
  step("");
  EXPECT_TRUE(labels().empty());
}

TEST_F(WinLabels, FewerLaunchesAreAFusionWhateverItWasCalled) {
  step("", 1);
  EXPECT_EQ(labels(), Labels{"fusion"});
}

TEST_F(WinLabels, TheBaselineIsNoWin) { EXPECT_TRUE(labels().empty()); }

TEST(LabelOfAction, EveryRewriteThatShipsHasOne) {
  for (const auto& rewrite : propose::rewrites()) {
    EXPECT_FALSE(label_of_action(rewrite->about().action).empty()) << rewrite->about().action;
  }
}

}  // namespace
}  // namespace kp::suite

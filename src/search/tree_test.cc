// SPDX-License-Identifier: Apache-2.0
#include "search/tree.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kp::search {
namespace {

Trial correct(double speedup) { return {Fate::kCorrect, speedup}; }

TEST(Reward, is_the_logarithm_of_the_speedup_and_keeps_a_gradient_for_slow_kernels) {
  EXPECT_DOUBLE_EQ(reward_of(correct(1)), 0);
  EXPECT_DOUBLE_EQ(reward_of(correct(std::exp(1.0))), 1);
  EXPECT_DOUBLE_EQ(reward_of(correct(0.25)), -1);
  EXPECT_GT(reward_of(correct(0.01)), reward_of(correct(0.001)));
  EXPECT_GT(reward_of(correct(1e-9)), reward_of({Fate::kWrong}));
  EXPECT_GT(reward_of({Fate::kWrong}), reward_of({Fate::kBroken}));
}

TEST(Tree, backs_rewards_up_to_the_root) {
  Tree tree(correct(1));
  const int a = tree.add(0, correct(2));
  const int b = tree.add(a, {Fate::kBroken});
  EXPECT_EQ(tree.node(0).visits, 3);
  EXPECT_DOUBLE_EQ(tree.node(0).reward_sum, std::log(2.0) - 3);
  EXPECT_DOUBLE_EQ(tree.node(0).best_reward, std::log(2.0));
  EXPECT_EQ(tree.node(a).visits, 2);
  EXPECT_EQ(tree.node(b).depth, 2);
  EXPECT_EQ(tree.best(), a);
}

TEST(Tree, finds_the_oldest_of_equally_good_nodes) {
  Tree tree(correct(1));
  tree.add(0, correct(3));
  tree.add(0, correct(3));
  EXPECT_EQ(tree.best(), 1);
}

TEST(Tree, has_no_best_node_before_the_first_correct_one) {
  Tree tree({Fate::kVirtual});
  tree.add(0, {Fate::kWrong});
  EXPECT_EQ(tree.best(), -1);
}

TEST(Tree, gives_a_broken_node_three_repairs_in_a_chain_and_then_buries_it) {
  Tree tree(correct(1));
  int last = tree.add(0, {Fate::kBroken});
  for (int attempt = 1; attempt <= kMostRepairs; ++attempt) {
    ASSERT_TRUE(tree.expandable(last)) << attempt;
    const int next = tree.add(last, {Fate::kWrong});
    EXPECT_FALSE(tree.expandable(last)) << "one repair at each link";
    last = next;
  }
  EXPECT_FALSE(tree.expandable(last));
  EXPECT_FALSE(tree.alive(1));
}

TEST(Tree, lets_a_repaired_node_have_children_again) {
  Tree tree(correct(1));
  const int broken = tree.add(0, {Fate::kBroken});
  const int repaired = tree.add(broken, correct(1.1));
  const int worse = tree.add(repaired, {Fate::kBroken});
  EXPECT_EQ(tree.node(repaired).repairs, 1);
  EXPECT_EQ(tree.node(worse).repairs, 0);
  EXPECT_TRUE(tree.expandable(repaired));
  EXPECT_TRUE(tree.alive(broken));
}

TEST(Tree, counts_an_open_ask_on_the_whole_path) {
  Tree tree(correct(1));
  const int a = tree.add(0, correct(2));
  tree.mark_pending(a, +1);
  EXPECT_EQ(tree.node(0).pending, 1);
  EXPECT_EQ(tree.node(a).open_asks, 1);
  tree.mark_pending(a, -1);
  EXPECT_EQ(tree.node(0).pending, 0);
}

}  // namespace
}  // namespace kp::search

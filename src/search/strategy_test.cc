// SPDX-License-Identifier: Apache-2.0
// Strategies on toy games whose best arm is known.
#include "search/strategy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "base/random.h"

namespace kp::search {
namespace {

Trial correct_at(double speedup) { return {Fate::kCorrect, speedup}; }

std::unique_ptr<Strategy> make(std::string_view name, const Trial& root, std::uint64_t seed = 1) {
  StrategyOptions options;
  options.seed = seed;
  return *make_strategy(name, root, options);
}

/// A move tells what becomes of a child of `parent` when it is the `nth` tried there.
using Game = std::function<Trial(const Tree& tree, int parent, int nth)>;

int play(Strategy& strategy, const Game& game, int moves) {
  for (int i = 0; i < moves; ++i) {
    const auto ask = strategy.ask();
    if (!ask) break;
    const int nth = static_cast<int>(strategy.tree().node(ask->node).children.size());
    strategy.tell(*ask, game(strategy.tree(), ask->node, nth));
    strategy.close(*ask, false);
  }
  return strategy.tree().best();
}

/// Three families under the root. The first gains at once and never again; the second looks bad and
/// then doubles at every step; the third always breaks.
Trial deceptive(const Tree& tree, int parent, int nth) {
  if (parent == 0) {
    if (nth % 3 == 0) return correct_at(1.5);
    if (nth % 3 == 1) return correct_at(0.8);
    return {Fate::kBroken};
  }
  const Node& above = tree.node(parent);
  if (!above.working()) return {Fate::kBroken};
  int family = parent;
  while (tree.node(family).parent != 0) family = tree.node(family).parent;
  if (tree.node(family).trial.speedup == 1.5) return correct_at(1.5);
  return correct_at(above.trial.speedup * 2);
}

class EveryStrategy : public testing::TestWithParam<std::string_view> {};

TEST_P(EveryStrategy, repeats_itself_for_the_same_seed) {
  auto first = make(GetParam(), correct_at(1), 7);
  auto second = make(GetParam(), correct_at(1), 7);
  play(*first, deceptive, 60);
  play(*second, deceptive, 60);
  ASSERT_EQ(first->tree().nodes().size(), second->tree().nodes().size());
  for (std::size_t i = 0; i < first->tree().nodes().size(); ++i) {
    EXPECT_EQ(first->tree().nodes()[i].parent, second->tree().nodes()[i].parent) << i;
  }
}

TEST_P(EveryStrategy, stops_asking_when_everything_is_exhausted) {
  auto strategy = make(GetParam(), correct_at(1));
  int asks = 0;
  while (const auto ask = strategy->ask()) {
    if (ask->node == 0 && strategy->tree().nodes().size() < 4)
      strategy->tell(*ask, correct_at(1.1));
    strategy->close(*ask, true);
    ASSERT_LT(++asks, 100);
  }
  EXPECT_GE(asks, 1);
  EXPECT_FALSE(strategy->ask());
}

TEST_P(EveryStrategy, asks_for_seeds_under_a_virtual_root_and_survives_43_failures) {
  auto strategy = make(GetParam(), {Fate::kVirtual});
  int evaluations = 0;
  bool found = false;
  while (!found && evaluations < 400) {
    const auto ask = strategy->ask();
    ASSERT_TRUE(ask);
    if (ask->node == 0) {
      EXPECT_EQ(ask->role, Role::kSeed);
    } else if (!strategy->tree().node(ask->node).working()) {
      EXPECT_EQ(ask->role, Role::kRepair);
    }
    found = ++evaluations > 43;
    strategy->tell(*ask,
                   found ? correct_at(1) : Trial{evaluations % 2 ? Fate::kWrong : Fate::kBroken});
    strategy->close(*ask, false);
  }
  EXPECT_TRUE(found);
  EXPECT_EQ(strategy->tree().best(), 44);
}

TEST_P(EveryStrategy, never_tries_more_than_three_repairs_in_a_row) {
  auto strategy = make(GetParam(), correct_at(1));
  play(
      *strategy, [](const Tree&, int, int) { return Trial{Fate::kBroken}; }, 100);
  for (const Node& node : strategy->tree().nodes()) EXPECT_LE(node.repairs, kMostRepairs);
}

TEST_P(EveryStrategy, keeps_several_asks_open_without_losing_count) {
  auto strategy = make(GetParam(), correct_at(1));
  std::vector<Ask> open;
  for (int i = 0; i < 3; ++i) {
    const auto ask = strategy->ask();
    ASSERT_TRUE(ask);
    open.push_back(*ask);
  }
  for (const Ask& ask : open) {
    strategy->tell(ask, correct_at(1.2));
    strategy->close(ask, false);
  }
  EXPECT_EQ(strategy->tree().node(0).pending, 0);
  EXPECT_EQ(strategy->tree().node(0).visits, 4);
}

INSTANTIATE_TEST_SUITE_P(All, EveryStrategy, testing::ValuesIn(strategy_names()),
                         [](const auto& param) {
                           std::string name(param.param);
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

TEST(Mcts, finds_the_line_that_looks_bad_first_where_greedy_does_not) {
  auto mcts = make("mcts", correct_at(1));
  const int best = play(*mcts, deceptive, 80);
  EXPECT_GT(mcts->tree().node(best).trial.speedup, 3);
  auto greedy = make("greedy", correct_at(1));
  const int stuck = play(*greedy, deceptive, 80);
  EXPECT_DOUBLE_EQ(greedy->tree().node(stuck).trial.speedup, 1.5);
}

/// The place of the family of `id` among the root's children.
std::size_t arm_of(const Tree& tree, int id) {
  while (tree.node(id).parent != 0) id = tree.node(id).parent;
  const auto& arms = tree.node(0).children;
  return static_cast<std::size_t>(std::find(arms.begin(), arms.end(), id) - arms.begin());
}

/// Arms under the root look alike; the descendants of the third scatter around a better mean.
TEST(Mcts, spends_most_of_its_visits_on_the_best_arm) {
  constexpr std::size_t kBestArm = 2;
  Random noise(99);
  const Game bandit = [&](const Tree& tree, int parent, int) {
    if (parent == 0) return correct_at(1.1);
    const double mean = arm_of(tree, parent) == kBestArm ? 3.0 : 1.2;
    return correct_at(mean * (0.9 + 0.2 * noise.uniform()));
  };
  auto mcts = make("mcts", correct_at(1));
  play(*mcts, bandit, 300);
  std::vector<int> visits;
  for (const int child : mcts->tree().node(0).children) {
    visits.push_back(mcts->tree().node(child).visits);
  }
  const auto most = std::max_element(visits.begin(), visits.end()) - visits.begin();
  EXPECT_EQ(static_cast<std::size_t>(most), kBestArm);
  EXPECT_GT(visits[kBestArm], 100);
}

TEST(Mcts, gives_a_working_node_more_children_than_a_broken_one) {
  auto mcts = make("mcts", correct_at(1));
  play(*mcts, deceptive, 100);
  std::size_t working = 0, broken = 0;
  for (const Node& node : mcts->tree().nodes()) {
    auto& most = node.working() ? working : broken;
    most = std::max(most, node.children.size());
  }
  EXPECT_GT(working, 3u);
  EXPECT_EQ(broken, 1u);
}

TEST(Mcts, spreads_parallel_asks_over_the_tree) {
  auto mcts = make("mcts", correct_at(1));
  play(*mcts, deceptive, 30);
  std::vector<Ask> open;
  for (int i = 0; i < 8; ++i) open.push_back(*mcts->ask());
  int distinct = 0;
  for (std::size_t i = 0; i < open.size(); ++i) {
    distinct += std::find(open.begin(), open.begin() + static_cast<long>(i), open[i]) ==
                open.begin() + static_cast<long>(i);
  }
  EXPECT_GT(distinct, 2);
}

TEST(Beam, keeps_only_its_width_at_each_depth) {
  StrategyOptions options;
  options.beam_width = 2;
  options.beam_children = 3;
  auto beam = *make_strategy("beam", correct_at(1), options);
  play(
      *beam, [](const Tree&, int, int nth) { return correct_at(1 + nth); }, 1 + 3 + 6);
  int second_depth_parents = 0;
  for (const Node& node : beam->tree().nodes()) {
    second_depth_parents += node.depth == 1 && !node.children.empty();
  }
  EXPECT_EQ(second_depth_parents, 2);
}

TEST(BestOfN, hangs_every_working_try_under_the_root) {
  auto best_of = make("best-of-n", correct_at(1));
  play(
      *best_of, [](const Tree&, int, int nth) { return correct_at(1 + nth); }, 10);
  EXPECT_EQ(best_of->tree().node(0).children.size(), 10u);
}

TEST(Catalog, names_the_strategies_it_knows) {
  const auto unknown = make_strategy("magic", correct_at(1));
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().text().find("mcts"), std::string::npos);
}

}  // namespace
}  // namespace kp::search

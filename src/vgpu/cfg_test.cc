// SPDX-License-Identifier: Apache-2.0
#include "vgpu/cfg.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/random.h"

namespace kp::vgpu {
namespace {

using Successors = std::vector<std::vector<int>>;

/// Nodes that `from` reaches without entering `without`.
std::set<int> reached(const Graph& graph, int from, int without) {
  std::set<int> seen;
  std::vector<int> open{from};
  while (!open.empty()) {
    const int node = open.back();
    open.pop_back();
    if (node == without || !seen.insert(node).second) continue;
    for (const int to : graph.successors[static_cast<std::size_t>(node)]) open.push_back(to);
  }
  return seen;
}

/// table[without][node]: the node reaches an end of the code without entering `without`; the last
/// row forbids nothing.
std::vector<std::vector<bool>> ends_reached(const Graph& graph) {
  const std::size_t nodes = graph.successors.size();
  std::vector<std::vector<bool>> table(nodes + 1, std::vector<bool>(nodes));
  for (std::size_t without = 0; without <= nodes; ++without) {
    auto& row = table[without];
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t node = 0; node < nodes; ++node) {
        const auto& out = graph.successors[node];
        const bool ends = out.empty() || std::any_of(out.begin(), out.end(), [&](int to) {
                            return row[static_cast<std::size_t>(to)];
                          });
        if (node == without || row[node] || !ends) continue;
        row[node] = changed = true;
      }
    }
  }
  return table;
}

/// By definition: the post-dominator that all other ones of the node post-dominate; -1 without one.
int immediate_post_dominator(const std::vector<std::vector<bool>>& ends, std::size_t node) {
  const std::size_t nodes = ends.size() - 1;
  std::vector<std::size_t> all;
  for (std::size_t other = 0; other < nodes; ++other) {
    if (other != node && ends[nodes][node] && !ends[other][node]) all.push_back(other);
  }
  for (const std::size_t candidate : all) {
    const bool nearest = std::all_of(all.begin(), all.end(), [&](std::size_t other) {
      return other == candidate || !ends[other][candidate];
    });
    if (nearest) return static_cast<int>(candidate);
  }
  return -1;
}

struct Placement {
  std::vector<int> order;
  std::vector<std::size_t> at;  // position of a node
};

Placement place(Graph& graph) {
  Placement placement{layout(graph), {}};
  placement.at.assign(graph.successors.size(), 0);
  for (std::size_t i = 0; i < placement.order.size(); ++i)
    placement.at[static_cast<std::size_t>(placement.order[i])] = i;
  return placement;
}

/// The contract of cfg.h for one graph.
void check(Graph graph) {
  const auto placement = place(graph);
  const auto live = reached(graph, 0, -1);
  ASSERT_EQ(std::set<int>(placement.order.begin(), placement.order.end()), live);
  ASSERT_EQ(placement.order.size(), live.size());
  ASSERT_EQ(placement.order.front(), 0);
  const auto position = [&](int node) { return placement.at[static_cast<std::size_t>(node)]; };
  const auto ends = ends_reached(graph);
  for (const int node : placement.order) {
    const int joint = immediate_post_dominator(ends, static_cast<std::size_t>(node));
    if (joint < 0 || position(joint) > position(node)) continue;
    // Only a latch may join behind itself, and a latch does not diverge inside its loop.
    const auto& out = graph.successors[static_cast<std::size_t>(node)];
    EXPECT_TRUE(std::find(out.begin(), out.end(), joint) != out.end())
        << "node " << node << " is joined at " << joint << ", which stands before it";
  }
}

/// Whether the nodes stand side by side, the first of them first.
void expect_contiguous(const Placement& placement, const std::vector<int>& nodes) {
  std::size_t low = ~std::size_t{0}, high = 0;
  for (const int node : nodes) {
    low = std::min(low, placement.at[static_cast<std::size_t>(node)]);
    high = std::max(high, placement.at[static_cast<std::size_t>(node)]);
  }
  EXPECT_EQ(high - low + 1, nodes.size());
  EXPECT_EQ(low, placement.at[static_cast<std::size_t>(nodes[0])]);
}

TEST(Layout, PutsTheJoinBehindBothSidesOfABranch) {
  Graph graph{Successors{{2, 1}, {3}, {3}, {}}};
  EXPECT_EQ(layout(graph), (std::vector<int>{0, 1, 2, 3}));
}

TEST(Layout, LeavesOutWhatNothingReaches) {
  Graph graph{Successors{{2}, {2}, {}}};
  EXPECT_EQ(layout(graph), (std::vector<int>{0, 2}));
}

TEST(Layout, PutsTheExitOfALoopBehindItsBody) {
  // 1 is the header; it leaves to 4, which a plain depth-first order could put before the body.
  Graph graph{Successors{{1}, {2, 4}, {3}, {1}, {}}};
  const auto placement = place(graph);
  expect_contiguous(placement, {1, 2, 3});
  EXPECT_EQ(placement.order.back(), 4);
}

TEST(Layout, GivesALoopWithContinueOneLatch) {
  // 2 continues or goes on to 3; both go back to 1.
  Graph graph{Successors{{1}, {4, 2}, {1, 3}, {1}, {}}};
  const auto placement = place(graph);
  ASSERT_EQ(graph.successors.size(), 6u);
  EXPECT_EQ(graph.successors[5], std::vector<int>{1});
  EXPECT_EQ(graph.successors[2], (std::vector<int>{5, 3}));
  expect_contiguous(placement, {1, 2, 3, 5});
  EXPECT_GT(placement.at[5], placement.at[3]);
}

TEST(Layout, KeepsNestedLoopsInsideTheirOuterLoop) {
  Graph graph{Successors{{1}, {2, 6}, {3}, {2, 4}, {5}, {1}, {}}};
  const auto placement = place(graph);
  expect_contiguous(placement, {1, 2, 3, 4, 5});
  expect_contiguous(placement, {2, 3});
}

TEST(Layout, AcceptsALoopWithTwoEntriesAndOneWithoutAnExit) {
  check({Successors{{1, 2}, {2, 3}, {1}, {}}});
  check({Successors{{1}, {1}}});
  check({Successors{{0}}});
  check({Successors{{1, 2}, {1}, {}}});
}

TEST(Layout, DoesNotRecurseOverLongChains) {
  Graph graph;
  constexpr int kNodes = 200'000;
  for (int i = 0; i + 1 < kNodes; ++i) graph.successors.push_back({i + 1});
  graph.successors.push_back({});
  EXPECT_EQ(layout(graph).size(), static_cast<std::size_t>(kNodes));
}

/// Structured code as compilers emit it: sequences, branches and loops with break and continue.
class Structured {
 public:
  explicit Structured(std::uint64_t seed) : random_(seed) {}
  Graph make() {
    node();
    statements(0, 3, -1, -1);
    return graph_;
  }

 private:
  int node() {
    graph_.successors.emplace_back();
    return static_cast<int>(graph_.successors.size()) - 1;
  }
  void edge(int from, int to) { graph_.successors[static_cast<std::size_t>(from)].push_back(to); }
  /// Emits code behind `from`; returns where control goes on.
  int statements(int from, int depth, int next_round, int behind_loop) {
    const auto count = 1 + random_.below(3);
    for (std::uint64_t i = 0; i < count; ++i)
      from = statement(from, depth, next_round, behind_loop);
    return from;
  }
  int statement(int from, int depth, int next_round, int behind_loop) {
    if (depth == 0) return from;
    switch (random_.below(4)) {
      case 0: {  // if
        const int side = node(), join = node();
        edge(from, join);
        edge(from, side);
        edge(statements(side, depth - 1, next_round, behind_loop), join);
        return join;
      }
      case 1: {  // while
        const int header = node(), first = node(), behind = node();
        edge(from, header);
        edge(header, behind);
        edge(header, first);
        edge(statements(first, depth - 1, header, behind), header);
        return behind;
      }
      case 2: {  // if (...) continue or break
        if (next_round < 0) return from;
        const int on = node();
        edge(from, random_.below(2) == 0 ? next_round : behind_loop);
        edge(from, on);
        return on;
      }
      default:
        return from;
    }
  }
  Random random_;
  Graph graph_;
};

TEST(Layout, JoinsStructuredCodeBehindEveryBranch) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    check(Structured(seed).make());
    if (HasFailure()) return;
  }
}

TEST(Layout, JoinsArbitraryAcyclicCodeBehindEveryBranch) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    Graph graph;
    const int nodes = 2 + static_cast<int>(random.below(14));
    for (int i = 0; i < nodes; ++i) {
      auto& out = graph.successors.emplace_back();
      for (std::uint64_t k = random.below(3); i + 1 < nodes && k <= 2; ++k)
        out.push_back(i + 1 +
                      static_cast<int>(random.below(static_cast<std::uint64_t>(nodes - i - 1))));
    }
    SCOPED_TRACE(seed);
    check(graph);
    if (HasFailure()) return;
  }
}

TEST(Layout, ReachesAllOfAnyGraphOnce) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Random random(seed, 1);
    Graph graph;
    const auto nodes = 1 + random.below(20);
    for (std::uint64_t i = 0; i < nodes; ++i) {
      auto& out = graph.successors.emplace_back();
      for (std::uint64_t k = random.below(4); k < 3; ++k)
        out.push_back(static_cast<int>(random.below(nodes)));
    }
    const auto order = layout(graph);
    const auto live = reached(graph, 0, -1);
    ASSERT_EQ(order.size(), live.size());
    ASSERT_EQ(std::set<int>(order.begin(), order.end()), live);
  }
}

}  // namespace
}  // namespace kp::vgpu

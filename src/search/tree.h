// SPDX-License-Identifier: Apache-2.0
// The tree of versions. Node 0 is the root: the baseline, or, for a task without one, a virtual
// root that is no candidate. All strategies share this bookkeeping; the equations stand in
// docs/search.md.
//
//        0  baseline, speedup 1
//       / \                             a working node may have many children;
//      1   2 wrong answer               a broken one a single chain of at most
//     /|    \                           kMostRepairs repairs below it, then all
//    3 4     5 repaired, speedup 1.3    of the chain is dead
#pragma once
#include <cstdint>
#include <vector>

namespace kp::search {

/// How a candidate came out, as far as search cares.
enum class Fate {
  kVirtual,  // the root of a task without baseline
  kCorrect,
  kWrong,   // wrong answer
  kBroken,  // failed build, crash, time-out, rejection
};

struct Trial {
  Fate fate = Fate::kBroken;
  double speedup = 0;  // over the baseline (or the first correct candidate); kCorrect only, > 0
};

inline constexpr int kMostRepairs = 3;
inline constexpr double kWrongReward = -2;
inline constexpr double kBrokenReward = -3;

/// ln s for s >= 1, -2 (1 - sqrt s) below, so that slow but correct stays above wrong; see
/// docs/search.md.
double reward_of(const Trial& trial);

struct Node {
  int id = 0;
  int parent = -1;
  int depth = 0;
  Trial trial;
  double reward = 0;
  int repairs = 0;         // repair attempts between here and the nearest working ancestor
  bool exhausted = false;  // the proposer has nothing more for it
  int open_asks = 0;       // asks at this node that are not closed
  std::vector<int> children;
  // Over the subtree with this node, kept by Tree::add.
  int visits = 0;
  double reward_sum = 0;
  double best_reward = 0;
  int pending = 0;  // open asks in the subtree: each counts as a visit that lost
  int living = 0;   // expandable nodes in the subtree

  bool working() const { return trial.fate == Fate::kCorrect || trial.fate == Fate::kVirtual; }
};

class Tree {
 public:
  explicit Tree(const Trial& root);
  /// Adds a child and backs its reward up to the root; returns its id (ids count up from 0).
  int add(int parent, const Trial& trial);
  /// Opens (+1) or closes (-1) an ask at `id`: the virtual loss of every node up to the root.
  void mark_pending(int id, int change);
  void mark_exhausted(int id);

  const Node& node(int id) const { return nodes_[static_cast<std::size_t>(id)]; }
  const std::vector<Node>& nodes() const { return nodes_; }
  /// The correct node with the highest speedup (the oldest among equals), or -1.
  int best() const { return best_; }
  /// Whether a child may still be asked for at `id`: working and not exhausted, or broken with a
  /// repair left and none tried here yet.
  bool expandable(int id) const;
  /// Whether `id` or anything below it is expandable.
  bool alive(int id) const { return node(id).living > 0; }
  double lowest_reward() const { return lowest_; }
  double highest_reward() const { return highest_; }

 private:
  Node& at(int id) { return nodes_[static_cast<std::size_t>(id)]; }
  /// Runs `change` on `id` and keeps `living` of its ancestors right.
  template <class Change>
  void alter(int id, Change change);

  std::vector<Node> nodes_;
  int best_ = -1;
  double lowest_ = 0, highest_ = 0;
};

}  // namespace kp::search

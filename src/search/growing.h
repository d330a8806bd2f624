// SPDX-License-Identifier: Apache-2.0
// The half of Strategy that is the same for all: keeping the tree. What differs is pick().
#pragma once
#include "search/strategy.h"

namespace kp::search {

class Growing : public Strategy {
 public:
  Growing(const Trial& root, const StrategyOptions& options) : options_(options), tree_(root) {}
  std::optional<Ask> ask() final;
  int tell(const Ask& ask, const Trial& trial) final { return tree_.add(ask.node, trial); }
  void close(const Ask& ask, bool exhausted) final;
  const Tree& tree() const final { return tree_; }

 protected:
  /// An expandable node, or -1.
  virtual int pick() const = 0;
  /// Why pick() named `id`, as a sentence with its numbers.
  virtual std::string why(int id) const = 0;
  /// Stable order among equals, by the seed: which of two nodes of the same worth comes first.
  bool before(int a, int b) const;

  StrategyOptions options_;
  Tree tree_;
};

std::unique_ptr<Strategy> make_mcts(const Trial& root, const StrategyOptions& options);
std::unique_ptr<Strategy> make_greedy(const Trial& root, const StrategyOptions& options);
std::unique_ptr<Strategy> make_beam(const Trial& root, const StrategyOptions& options);
std::unique_ptr<Strategy> make_best_of_n(const Trial& root, const StrategyOptions& options);

}  // namespace kp::search

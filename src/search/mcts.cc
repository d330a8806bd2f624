// SPDX-License-Identifier: Apache-2.0
// Monte Carlo tree search over compiled candidates: UCT (Kocsis and Szepesvari 2006) on rewards
// normalised to [0, 1], with progressive widening (Coulom 2007) since a node has no fixed set of
// moves.
#include <fmt/format.h>

#include <cmath>

#include "search/growing.h"

namespace kp::search {
namespace {

class Mcts final : public Growing {
 public:
  using Growing::Growing;
  std::string_view name() const override { return "mcts"; }

 protected:
  int pick() const override {
    int id = 0;
    if (!tree_.alive(id)) return -1;
    for (;;) {
      if (has_room(id)) return id;
      const int child = best_child(id);
      // Nowhere to descend to: what is alive here is the node itself.
      if (child < 0) return id;
      id = child;
    }
  }

  std::string why(int id) const override {
    const Node& node = tree_.node(id);
    std::string path;
    for (int on = id; tree_.node(on).parent >= 0; on = tree_.node(on).parent) {
      path = fmt::format(" > #{} ({:.2f})", on,
                         uct(on, curiosity_of(tree_.node(tree_.node(on).parent)))) +
             path;
    }
    return fmt::format("is where the largest UCT values lead: root{}; visits {}, children {} of {}",
                       path, node.visits, node.children.size(), std::ceil(room(node)));
  }

 private:
  double room(const Node& node) const {
    return node.working() ? options_.widening * std::pow(node.visits, options_.widening_power) : 1;
  }

  /// Expand here rather than descend; a broken node whenever it may be repaired.
  bool has_room(int id) const {
    if (!tree_.expandable(id)) return false;
    const Node& node = tree_.node(id);
    return !node.working() ||
           static_cast<double>(node.children.size()) + node.open_asks < room(node);
  }

  int best_child(int id) const {
    int best = -1;
    double best_worth = 0;
    const double curiosity = curiosity_of(tree_.node(id));
    for (const int child : tree_.node(id).children) {
      if (!tree_.alive(child)) continue;
      const double worth = uct(child, curiosity);
      if (best < 0 || worth > best_worth || (worth == best_worth && before(child, best))) {
        best = child;
        best_worth = worth;
      }
    }
    return best;
  }

  /// The square root of the logarithm of the visits above: the same for all siblings.
  double curiosity_of(const Node& above) const {
    return options_.exploration * std::sqrt(std::log(above.visits + above.pending + 1.0));
  }

  double uct(int id, double curiosity) const {
    const Node& node = tree_.node(id);
    const double visits = node.visits + node.pending;
    const double lost = node.pending * tree_.lowest_reward();
    const double mean = (node.reward_sum + lost) / visits;
    const double value =
        options_.best_weight * node.best_reward + (1 - options_.best_weight) * mean;
    return normalised(value) + curiosity / std::sqrt(visits);
  }

  double normalised(double reward) const {
    const double span = tree_.highest_reward() - tree_.lowest_reward();
    return span > 0 ? (reward - tree_.lowest_reward()) / span : 0.5;
  }
};

}  // namespace

std::unique_ptr<Strategy> make_mcts(const Trial& root, const StrategyOptions& options) {
  return std::make_unique<Mcts>(root, options);
}

}  // namespace kp::search

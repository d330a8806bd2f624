// SPDX-License-Identifier: Apache-2.0
// Always work on the best node that can still be expanded; on a broken one only when nothing works.
#include <fmt/format.h>

#include "search/growing.h"

namespace kp::search {
namespace {

class Greedy final : public Growing {
 public:
  using Growing::Growing;
  std::string_view name() const override { return "greedy"; }

 protected:
  int pick() const override {
    int best = -1;
    for (const Node& node : tree_.nodes()) {
      if (!tree_.expandable(node.id)) continue;
      if (best < 0 || better(node, tree_.node(best))) best = node.id;
    }
    return best;
  }

  std::string why(int id) const override {
    return fmt::format("has the best reward, {:.2f}, of all nodes that can be expanded",
                       tree_.node(id).reward);
  }

 private:
  bool better(const Node& a, const Node& b) const {
    if (a.open_asks != b.open_asks) return a.open_asks < b.open_asks;
    return a.reward != b.reward ? a.reward > b.reward : before(a.id, b.id);
  }
};

}  // namespace

std::unique_ptr<Strategy> make_greedy(const Trial& root, const StrategyOptions& options) {
  return std::make_unique<Greedy>(root, options);
}

}  // namespace kp::search

// SPDX-License-Identifier: Apache-2.0
// Depth by depth: the best `beam_width` working nodes of a depth are asked `beam_children` times
// each, then the next depth is taken. Broken nodes are repaired while their depth is current.
#include <fmt/format.h>

#include <algorithm>

#include "search/growing.h"

namespace kp::search {
namespace {

class Beam final : public Growing {
 public:
  using Growing::Growing;
  std::string_view name() const override { return "beam"; }

 protected:
  int pick() const override {
    for (int depth = 0; depth <= deepest(); ++depth) {
      for (const int id : kept(depth)) {
        if (wants_more(id)) return id;
      }
    }
    return -1;
  }

  std::string why(int id) const override {
    return fmt::format("belongs to the beam of {} at depth {} and may be asked {} times",
                       options_.beam_width, tree_.node(id).depth, options_.beam_children);
  }

 private:
  int deepest() const {
    int depth = 0;
    for (const Node& node : tree_.nodes()) depth = std::max(depth, node.depth);
    return depth;
  }

  bool wants_more(int id) const {
    const Node& node = tree_.node(id);
    int asked = node.open_asks;
    for (const int child : node.children) {
      // A virtual root asks on until its seeds work; elsewhere a failure uses up a place.
      asked += node.trial.fate != Fate::kVirtual || tree_.node(child).working();
    }
    return tree_.expandable(id) && (!node.working() || asked < options_.beam_children);
  }

  /// The beam of one depth, best first; broken nodes that can be repaired come before it.
  std::vector<int> kept(int depth) const {
    std::vector<int> broken, working;
    for (const Node& node : tree_.nodes()) {
      if (node.depth != depth) continue;
      (node.working() ? working : broken).push_back(node.id);
    }
    std::stable_sort(working.begin(), working.end(), [this](int a, int b) {
      const double left = tree_.node(a).reward, right = tree_.node(b).reward;
      return left != right ? left > right : before(a, b);
    });
    if (working.size() > static_cast<std::size_t>(options_.beam_width)) {
      working.resize(static_cast<std::size_t>(options_.beam_width));
    }
    broken.insert(broken.end(), working.begin(), working.end());
    return broken;
  }
};

}  // namespace

std::unique_ptr<Strategy> make_beam(const Trial& root, const StrategyOptions& options) {
  return std::make_unique<Beam>(root, options);
}

}  // namespace kp::search

// SPDX-License-Identifier: Apache-2.0
// Independent tries: every child hangs under the root. What breaks is repaired before the next try.
#include "search/growing.h"

namespace kp::search {
namespace {

class BestOfN final : public Growing {
 public:
  using Growing::Growing;
  std::string_view name() const override { return "best-of-n"; }

 protected:
  int pick() const override {
    for (const Node& node : tree_.nodes()) {
      if (!node.working() && tree_.expandable(node.id)) return node.id;
    }
    return tree_.expandable(0) ? 0 : -1;
  }

  std::string why(int id) const override {
    return id == 0 ? "is the root, where every try starts"
                   : "is a broken try, repaired before the next one starts";
  }
};

}  // namespace

std::unique_ptr<Strategy> make_best_of_n(const Trial& root, const StrategyOptions& options) {
  return std::make_unique<BestOfN>(root, options);
}

}  // namespace kp::search

// SPDX-License-Identifier: Apache-2.0
// The only list of strategies.
#include <array>

#include "search/growing.h"

namespace kp::search {
namespace {

struct Entry {
  std::string_view name;
  std::unique_ptr<Strategy> (*make)(const Trial&, const StrategyOptions&);
};
constexpr std::array kStrategies{
    Entry{"mcts", make_mcts},
    Entry{"greedy", make_greedy},
    Entry{"beam", make_beam},
    Entry{"best-of-n", make_best_of_n},
};

}  // namespace

std::vector<std::string_view> strategy_names() {
  std::vector<std::string_view> names;
  for (const Entry& entry : kStrategies) names.push_back(entry.name);
  return names;
}

Result<std::unique_ptr<Strategy>> make_strategy(std::string_view name, const Trial& root,
                                                const StrategyOptions& options) {
  for (const Entry& entry : kStrategies) {
    if (entry.name == name) return entry.make(root, options);
  }
  std::string known;
  for (const Entry& entry : kStrategies) known += " " + std::string(entry.name);
  return fail(ErrorCode::kNotFound, "no search strategy is called '" + std::string(name) + "'",
              "use one of:" + known);
}

}  // namespace kp::search

// SPDX-License-Identifier: Apache-2.0
// How a search decides what to try next: ask, tell, close. A strategy is a pure function of its
// seed and of the calls it has seen, so a run resumes by repeating them.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "search/tree.h"

namespace kp::search {

enum class Role {
  kSeed,     // from nothing: the root is virtual
  kImprove,  // a faster version of a working node
  kRepair,   // a working version of a broken node
};
std::string_view name_of(Role role);

/// A node for which the strategy wants children.
struct Ask {
  int node = 0;
  Role role = Role::kImprove;
  std::string why;  // one sentence for people
  bool operator==(const Ask& other) const { return node == other.node && role == other.role; }
};

class Strategy {
 public:
  virtual ~Strategy() = default;
  virtual std::string_view name() const = 0;
  /// The node to expand next, or nothing when every node is dead or exhausted. Several asks may be
  /// open at once; an open one lowers the appeal of its path.
  virtual std::optional<Ask> ask() = 0;
  /// One candidate that came of an open ask; returns its node. May be called any number of times.
  virtual int tell(const Ask& ask, const Trial& trial) = 0;
  /// No more candidates come of this ask; `exhausted`: nor of any later one at this node.
  virtual void close(const Ask& ask, bool exhausted) = 0;
  virtual const Tree& tree() const = 0;
};

struct StrategyOptions {
  std::uint64_t seed = 1;
  double exploration = 0.7;  // mcts: c of the UCT term
  double widening =
      1.5;  // mcts: a node with v visits may have widening * v^widening_power children
  double widening_power = 0.5;
  double best_weight = 0.5;  // mcts: weight of the best reward of a subtree against its mean
  int beam_width = 3;        // beam: nodes kept at each depth
  int beam_children = 4;     // beam: asks at each kept node
};

/// "mcts", "greedy", "beam", "best-of-n". kNotFound lists them.
Result<std::unique_ptr<Strategy>> make_strategy(std::string_view name, const Trial& root,
                                                const StrategyOptions& options = {});
std::vector<std::string_view> strategy_names();

}  // namespace kp::search

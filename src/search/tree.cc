// SPDX-License-Identifier: Apache-2.0
#include "search/tree.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace kp::search {

double reward_of(const Trial& trial) {
  switch (trial.fate) {
    case Fate::kVirtual:
      return 0;
    case Fate::kWrong:
      return kWrongReward;
    case Fate::kBroken:
      return kBrokenReward;
    case Fate::kCorrect:
      break;
  }
  KP_CHECK(trial.speedup > 0, "a correct candidate has a speedup");
  // The slope below 1 steepens towards 0: a kernel ten times too slow still knows which way is up.
  return trial.speedup >= 1 ? std::log(trial.speedup) : -2 * (1 - std::sqrt(trial.speedup));
}

Tree::Tree(const Trial& root) {
  Node node;
  node.trial = root;
  node.reward = node.reward_sum = node.best_reward = reward_of(root);
  node.visits = node.living = 1;
  lowest_ = highest_ = node.reward;
  if (root.fate == Fate::kCorrect) best_ = 0;
  nodes_.push_back(node);
}

template <class Change>
void Tree::alter(int id, Change change) {
  const int before = expandable(id) ? 1 : 0;
  change(at(id));
  const int difference = (expandable(id) ? 1 : 0) - before;
  if (difference == 0) return;
  for (int on = id; on >= 0; on = node(on).parent) at(on).living += difference;
}

int Tree::add(int parent, const Trial& trial) {
  const Node& above = node(parent);
  Node child;
  child.id = static_cast<int>(nodes_.size());
  child.parent = parent;
  child.depth = above.depth + 1;
  child.trial = trial;
  child.reward = reward_of(trial);
  child.best_reward = child.reward;
  child.repairs = above.working() ? 0 : above.repairs + 1;
  const double reward = child.reward;
  const int id = child.id;
  nodes_.push_back(std::move(child));
  alter(parent, [id](Node& node) { node.children.push_back(id); });
  const int living = expandable(id) ? 1 : 0;
  for (int on = id; on >= 0; on = node(on).parent) {
    Node& on_path = at(on);
    on_path.visits += 1;
    on_path.living += living;
    on_path.reward_sum += reward;
    on_path.best_reward = std::max(on_path.best_reward, reward);
  }
  lowest_ = std::min(lowest_, reward);
  highest_ = std::max(highest_, reward);
  const bool better = best_ < 0 || trial.speedup > node(best_).trial.speedup;
  if (trial.fate == Fate::kCorrect && better) best_ = id;
  return id;
}

void Tree::mark_pending(int id, int change) {
  alter(id, [change](Node& node) { node.open_asks += change; });
  for (; id >= 0; id = node(id).parent) at(id).pending += change;
}

void Tree::mark_exhausted(int id) {
  alter(id, [](Node& node) { node.exhausted = true; });
}

bool Tree::expandable(int id) const {
  const Node& n = node(id);
  if (n.exhausted) return false;
  if (n.working()) return true;
  return n.repairs < kMostRepairs && n.children.empty() && n.open_asks == 0;
}

}  // namespace kp::search

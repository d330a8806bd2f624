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
  node.visits = 1;
  lowest_ = highest_ = node.reward;
  nodes_.push_back(node);
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
  nodes_.push_back(child);
  nodes_[static_cast<std::size_t>(parent)].children.push_back(child.id);
  for (int id = child.id; id >= 0; id = node(id).parent) {
    Node& on_path = nodes_[static_cast<std::size_t>(id)];
    on_path.visits += 1;
    on_path.reward_sum += reward;
    on_path.best_reward = std::max(on_path.best_reward, reward);
  }
  lowest_ = std::min(lowest_, reward);
  highest_ = std::max(highest_, reward);
  return child.id;
}

void Tree::mark_pending(int id, int change) {
  nodes_[static_cast<std::size_t>(id)].open_asks += change;
  for (; id >= 0; id = node(id).parent) nodes_[static_cast<std::size_t>(id)].pending += change;
}

int Tree::best() const {
  int best = -1;
  for (const Node& n : nodes_) {
    if (n.trial.fate != Fate::kCorrect) continue;
    if (best < 0 || n.trial.speedup > node(best).trial.speedup) best = n.id;
  }
  return best;
}

bool Tree::expandable(int id) const {
  const Node& n = node(id);
  if (n.exhausted) return false;
  if (n.working()) return true;
  return n.repairs < kMostRepairs && n.children.empty() && n.open_asks == 0;
}

bool Tree::alive(int id) const {
  if (expandable(id)) return true;
  const auto& children = node(id).children;
  return std::any_of(children.begin(), children.end(), [this](int child) { return alive(child); });
}

}  // namespace kp::search

// SPDX-License-Identifier: Apache-2.0
#include "vgpu/order.h"

#include <algorithm>

namespace kp::vgpu {

int Releases::add(Epoch moment, SharedKnowledge knowledge, int previous) {
  bool mixed = knowledge->releases >= 0;
  if (previous >= 0) {
    const Node& before = (*this)[previous];
    mixed |= before.mixed || before.moment.block() != moment.block();
  }
  nodes_.push_back(std::make_unique<Node>(Node{moment, std::move(knowledge), previous, -1, mixed}));
  return int(nodes_.size()) - 1;
}

int Releases::join(int a, int b) {
  if (a < 0 || a == b) return b;
  if (b < 0) return a;
  const Node& first = *nodes_[std::size_t(a)];
  const Node& second = *nodes_[std::size_t(b)];
  if (first.left == b || first.right == b) return a;
  if (second.left == a || second.right == a) return b;
  nodes_.push_back(std::make_unique<Node>(Node{{}, nullptr, a, b, true}));
  return int(nodes_.size()) - 1;
}

const Releases::Reach& Releases::reach(int node) {
  constexpr std::size_t kKept = 16;
  if (const auto found = reaches_.find(node); found != reaches_.end()) return found->second;
  if (reaches_.size() >= kKept) reaches_.clear();
  Reach reach;
  std::vector<bool> seen(nodes_.size());
  std::vector<int> open{node};
  while (!open.empty()) {
    const int at = open.back();
    open.pop_back();
    if (at < 0 || seen[std::size_t(at)]) continue;
    seen[std::size_t(at)] = true;
    const Node& here = *nodes_[std::size_t(at)];
    open.push_back(here.left);
    open.push_back(here.right);
    if (here.knowledge == nullptr) continue;
    open.push_back(here.knowledge->releases);
    reach[here.moment.block()].push_back(&here);
  }
  return reaches_.emplace(node, std::move(reach)).first->second;
}

bool Releases::Node::covers(Epoch other) const {
  if (knowledge == nullptr || moment.block() != other.block()) return false;
  return knowledge->clocks[other.thread()] >= other.clock() ||
         (moment.thread() == other.thread() && moment.clock() >= other.clock());
}

/// The newest releases answer most questions: a lock is handed on by who held it last.
bool Releases::covers_nearby(int node, Epoch moment) const {
  constexpr int kSteps = 32;
  int open[2 * kSteps + 1] = {node};
  int count = 1;
  for (int step = 0; step < kSteps && count > 0; ++step) {
    const Node& here = (*this)[open[--count]];
    if (here.covers(moment)) return true;
    for (const int next : {here.left, here.right})
      if (next >= 0) open[count++] = next;
  }
  return false;
}

bool Releases::covers(int node, Epoch moment) {
  if (node < 0) return false;
  if (covers_nearby(node, moment)) return true;
  const Reach& all = reach(node);
  const auto found = all.find(moment.block());
  return found != all.end() &&
         std::ranges::any_of(found->second, [&](const Node* each) { return each->covers(moment); });
}

void Order::begin(std::uint64_t block) {
  block_ = block;
  clocks_.assign(threads_, 1);
  const auto nothing =
      std::make_shared<const Knowledge>(Knowledge{std::vector<std::uint32_t>(threads_, 0), -1});
  known_.assign(threads_, nothing);
  arrivals_.clear();
}

bool Order::knows(std::uint32_t thread, Epoch moment) const {
  const Knowledge& known = *known_[thread];
  const bool own = moment.block() == block_;
  if (own && (moment.thread() == thread || known.clocks[moment.thread()] >= moment.clock()))
    return true;
  return releases_.covers(known.releases, moment);
}

void Order::tick(std::uint32_t thread) {
  if (clocks_[thread] < Epoch::kLastClock) ++clocks_[thread];
}

Knowledge Order::gather(std::span<const Arrival> arrivals) {
  Knowledge all{std::vector<std::uint32_t>(threads_, 0), -1};
  const Knowledge* last = nullptr;
  for (const Arrival& each : arrivals) {
    // Threads that left the same barrier share what they know: look at it once.
    if (each.knowledge.get() == last) continue;
    last = each.knowledge.get();
    for (std::size_t t = 0; t < threads_; ++t)
      all.clocks[t] = std::max(all.clocks[t], last->clocks[t]);
    all.releases = releases_.join(all.releases, last->releases);
  }
  for (const Arrival& each : arrivals)
    all.clocks[each.thread] = std::max(all.clocks[each.thread], each.clock);
  return all;
}

void Order::meet(std::span<const std::uint32_t> threads) {
  std::vector<Arrival> arrivals;
  for (const std::uint32_t each : threads) arrivals.push_back({each, clocks_[each], known_[each]});
  const auto all = std::make_shared<const Knowledge>(gather(arrivals));
  for (const std::uint32_t each : threads) {
    known_[each] = all;
    tick(each);
  }
}

void Order::arrive(std::uint32_t thread, std::uint32_t barrier) {
  arrivals_[barrier].push_back({thread, clocks_[thread], known_[thread]});
  tick(thread);
}

void Order::leave(std::uint32_t barrier, std::span<const std::uint32_t> waiting) {
  const auto all = std::make_shared<const Knowledge>(gather(arrivals_[barrier]));
  for (const std::uint32_t each : waiting) known_[each] = all;
  arrivals_[barrier].clear();
}

int Order::release(std::uint32_t thread, int location) {
  const int node = releases_.add(now(thread), known_[thread], location);
  tick(thread);
  return node;
}

/// Takes over what threads of the own block released at the location.
void Order::fold(std::uint32_t thread, int location) {
  std::shared_ptr<Knowledge> more;
  for (int at = location; at >= 0; at = releases_[at].left) {
    const Releases::Node& node = releases_[at];
    if (node.moment.block() != block_) continue;
    const Knowledge& known = more ? *more : *known_[thread];
    // Who released here had acquired what was here before: the rest is known, too.
    if (node.moment.thread() == thread || known.clocks[node.moment.thread()] >= node.moment.clock())
      break;
    if (!more) more = std::make_shared<Knowledge>(known);
    for (std::size_t t = 0; t < threads_; ++t)
      more->clocks[t] = std::max(more->clocks[t], node.knowledge->clocks[t]);
    auto& clock = more->clocks[node.moment.thread()];
    clock = std::max(clock, node.moment.clock());
  }
  if (more) known_[thread] = std::move(more);
}

void Order::acquire(std::uint32_t thread, int location) {
  if (location < 0) return;
  fold(thread, location);
  const Releases::Node& node = releases_[location];
  if (!node.mixed && node.moment.block() == block_) return;
  const int joined = releases_.join(known_[thread]->releases, location);
  if (joined == known_[thread]->releases) return;
  auto more = std::make_shared<Knowledge>(*known_[thread]);
  more->releases = joined;
  known_[thread] = std::move(more);
}

}  // namespace kp::vgpu

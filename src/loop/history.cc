// SPDX-License-Identifier: Apache-2.0
#include "loop/history.h"

#include <fmt/format.h>

#include <algorithm>

namespace kp::loop {
namespace {

tl::unexpected<Error> does_not_follow(const std::string& what) {
  return fail(ErrorCode::kCorrupt, "the history in run.db does not follow from its seed: " + what,
              "the run was made by another version, or was edited; start a new one");
}

search::Trial trial_of(const store::NodeSummary& node) {
  using search::Fate;
  if (node.outcome == "virtual") return {Fate::kVirtual, 0};
  if (node.speedup) return {Fate::kCorrect, *node.speedup};
  return {node.outcome == name_of(Outcome{WrongAnswer{}}) ? Fate::kWrong : Fate::kBroken, 0};
}

}  // namespace

Result<void> History::take(const store::Summary& event) {
  return std::visit([this](const auto& what) { return hear(what); }, event);
}

search::Role History::role_at(int node) const {
  const search::Fate fate = tree().node(node).trial.fate;
  if (fate == search::Fate::kVirtual) return search::Role::kSeed;
  return fate == search::Fate::kCorrect ? search::Role::kImprove : search::Role::kRepair;
}

std::optional<int> History::proposal_of(const std::string& candidate) const {
  const auto found = std::find(known_.begin(), known_.end(), candidate);
  if (found == known_.end()) return std::nullopt;
  return numbers_[static_cast<std::size_t>(found - known_.begin())];
}

std::optional<int> History::next_pending(int ask) const {
  const auto found = open_.find(ask);
  if (found == open_.end() || found->second.pending.empty()) return std::nullopt;
  return found->second.pending.front();
}

std::optional<search::Ask> History::draw() {
  if (!drawn_ && strategy_) drawn_ = strategy_->ask();
  exhausted_ = !drawn_;
  return drawn_;
}

Result<void> History::hear(const store::AskRecord& ask) {
  const bool known = ask.node >= 0 && ask.node < nodes();
  if (!known) return does_not_follow(fmt::format("ask {} is for no node", ask.id));
  OpenAsk open{ask.id, {ask.node, role_at(ask.node), ask.why}, ask.volunteered, false, {}};
  if (!ask.volunteered) {
    const auto now = draw();
    drawn_.reset();
    if (now != open.ask || name_of(now->role) != ask.role) {
      return does_not_follow(fmt::format("ask {} was for node {}", ask.id, ask.node));
    }
  }
  open_[ask.id] = std::move(open);
  next_ask_ = ask.id + 1;
  return {};
}

Result<void> History::hear(const store::ProposalSummary& proposal) {
  if (proposal.ask) {
    const auto asked = open_.find(*proposal.ask);
    if (asked == open_.end()) {
      return does_not_follow(fmt::format("proposal {} answers no open ask", proposal.id));
    }
    asked->second.answered = true;
    asked->second.pending.push_back(proposal.id);
  }
  pending_.insert(proposal.id);
  known_.push_back(proposal.candidate);
  numbers_.push_back(proposal.id);
  next_proposal_ = std::max(next_proposal_, proposal.id + 1);
  return {};
}

Result<void> History::hear(const store::NodeSummary& node) {
  if (node.id != nodes()) {
    return does_not_follow(fmt::format("node {} is out of order", node.id));
  }
  if (node.proposal && pending_.erase(*node.proposal) == 0) {
    return does_not_follow(fmt::format("node {} has no proposal", node.id));
  }
  if (node.ns && !reference_ns_) reference_ns_ = node.ns;
  nodes_.push_back({node.at_roof, false});
  const int best = strategy_ ? tree().best() : -1;
  KP_TRY_VOID(grow(node, trial_of(node)));
  if (tree().best() != best) last_gain_ = progress().evaluations;
  return {};
}

Result<void> History::grow(const store::NodeSummary& node, const search::Trial& trial) {
  if (!strategy_) {
    search::StrategyOptions options;
    options.seed = seed_;
    KP_TRY(strategy_, search::make_strategy(search_, trial, options));
    return {};
  }
  for (auto& [id, open] : open_) {
    const auto found = std::find(open.pending.begin(), open.pending.end(), node.proposal);
    if (found == open.pending.end()) continue;
    if (node.parent != open.ask.node) break;
    open.pending.erase(found);
    strategy_->tell(open.ask, trial);
    return {};
  }
  return does_not_follow(fmt::format("node {} comes of no open ask", node.id));
}

Result<void> History::hear(const store::CloseRecord& close) {
  const auto asked = open_.find(close.ask);
  if (asked == open_.end()) return does_not_follow("an ask was closed that was not open");
  if (!asked->second.volunteered) strategy_->close(asked->second.ask, close.exhausted);
  open_.erase(asked);
  return {};
}

Result<void> History::hear(const store::ProfileSummary& later) {
  if (later.node < 0 || later.node >= nodes()) {
    return does_not_follow(fmt::format("node {} was profiled before it was judged", later.node));
  }
  nodes_[static_cast<std::size_t>(later.node)] = {later.at_roof, true};
  return {};
}

double History::speedup_of(const Measured& measured) const {
  if (measured.speedup) return measured.speedup->value;
  return reference_ns_.value_or(measured.nanoseconds) / measured.nanoseconds;
}

search::Progress History::progress() const {
  search::Progress progress;
  if (!planted()) return progress;
  const bool virtual_root = tree().node(0).trial.fate == search::Fate::kVirtual;
  progress.evaluations = nodes() - (virtual_root ? 1 : 0);
  const int best = tree().best();
  progress.any_correct = best >= 0;
  progress.since_improvement = progress.evaluations - last_gain_;
  progress.best_at_roof = best >= 0 && node_at(best).at_roof;
  progress.exhausted = exhausted_;
  return progress;
}

}  // namespace kp::loop

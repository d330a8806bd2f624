// SPDX-License-Identifier: Apache-2.0
// What follows from the events of a run: the search tree, the asks that are open, the candidates
// that wait to be judged. It changes only by taking events, so that a run that goes on, several
// processes that share one, and the process that started it come to the same state.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/evaluation.h"
#include "search/stop_rules.h"
#include "search/strategy.h"
#include "store/records.h"

namespace kp::loop {

/// An ask that is not closed.
struct OpenAsk {
  int id = 0;
  search::Ask ask;
  bool volunteered = false;  // somebody chose the node
  bool answered = false;     // candidates came of it
  std::vector<int> pending;  // proposals that are not judged yet, in order
};

class History {
 public:
  /// `search` must be one that search::make_strategy knows.
  History(std::string search, std::uint64_t seed) : search_(std::move(search)), seed_(seed) {}

  /// kCorrupt when the event does not follow from those before it.
  Result<void> take(const store::Summary& event);
  /// Where the search wants children now; the next ask that is taken must be this one.
  std::optional<search::Ask> draw();

  /// Whether the root is judged; before, there is no tree.
  bool planted() const { return strategy_ != nullptr; }
  const search::Tree& tree() const { return strategy_->tree(); }
  int nodes() const { return static_cast<int>(nodes_.size()); }
  const std::map<int, OpenAsk>& open() const { return open_; }
  /// Proposals that are not judged yet, in order.
  const std::set<int>& pending() const { return pending_; }
  /// The first of an ask.
  std::optional<int> next_pending(int ask) const;
  /// Content addresses of all proposals, in order.
  const std::vector<std::string>& known() const { return known_; }
  /// The first proposal with this content address.
  std::optional<int> proposal_of(const std::string& candidate) const;
  /// What is wanted of a child of `node`.
  search::Role role_at(int node) const;
  bool fully_profiled(int node) const { return node_at(node).fully_profiled; }
  int next_ask() const { return next_ask_; }
  int next_proposal() const { return next_proposal_; }
  /// How a new measurement counts: by its measured ratio to the baseline where there is one, else
  /// the first measured time is speedup 1.
  double speedup_of(const Measured& measured) const;
  /// Time that counts as speedup 1, once something was measured.
  std::optional<double> reference_ns() const { return reference_ns_; }
  /// All that stop rules want to know but the time.
  search::Progress progress() const;

 private:
  struct NodeFacts {
    bool at_roof = false, fully_profiled = false;
  };
  const NodeFacts& node_at(int node) const { return nodes_[static_cast<std::size_t>(node)]; }

  Result<void> hear(const store::AskRecord& ask);
  Result<void> hear(const store::ProposalSummary& proposal);
  Result<void> hear(const store::NodeSummary& node);
  Result<void> hear(const store::CloseRecord& close);
  Result<void> hear(const store::ProfileSummary& later);
  Result<void> grow(const store::NodeSummary& node, const search::Trial& trial);

  std::string search_;
  std::uint64_t seed_;
  std::unique_ptr<search::Strategy> strategy_;  // null before the root is judged
  std::optional<search::Ask> drawn_;
  std::map<int, OpenAsk> open_;
  std::set<int> pending_;
  std::vector<NodeFacts> nodes_;
  std::vector<std::string> known_;
  std::vector<int> numbers_;  // of the proposals in known_
  std::optional<double> reference_ns_;
  int next_ask_ = 0, next_proposal_ = 1;  // 0 is the baseline
  int last_gain_ = 0;                     // evaluations when the best last rose
  bool exhausted_ = false;
};

}  // namespace kp::loop

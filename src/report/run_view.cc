// SPDX-License-Identifier: Apache-2.0
#include "report/run_view.h"

#include <algorithm>
#include <map>
#include <set>

namespace kp::report {
namespace {

/// Collects the history into nodes; rows that refer to nodes that are not there are damage.
class Reader {
 public:
  explicit Reader(RunView& run) : run_(run) {}

  Result<void> operator()(const store::AskRecord& ask) {
    asks_[ask.id] = ask;
    waiting_.insert(ask.id);
    return {};
  }
  Result<void> operator()(const store::CloseRecord& close) {
    waiting_.erase(close.ask);
    return {};
  }
  Result<void> operator()(const store::NoteRecord& note) {
    notes_[note.ask].push_back(note.text);
    return {};
  }
  Result<void> operator()(const store::ProposalRecord& proposal) {
    proposals_[proposal.id] = proposal;
    pending_.insert(proposal.id);
    if (proposal.ask) waiting_.erase(*proposal.ask);
    return {};
  }
  Result<void> operator()(const store::NodeRecord& node) {
    const bool is_root = node.id == 0;
    if (node.id != static_cast<int>(run_.nodes.size()) || is_root == node.parent.has_value()) {
      return damaged();
    }
    NodeView view{node, std::nullopt, std::nullopt, std::nullopt, {}};
    KP_TRY_VOID(trace(view));
    if (node.proposal) pending_.erase(*node.proposal);
    if (node.parent) {
      if (!known(*node.parent)) return damaged();
      run_.nodes[static_cast<std::size_t>(*node.parent)].children.push_back(node.id);
    }
    run_.nodes.push_back(std::move(view));
    return {};
  }
  Result<void> operator()(const store::ProfileRecord& later) {
    if (!known(later.node)) return damaged();
    store::learn(run_.nodes[static_cast<std::size_t>(later.node)].node, later);
    return {};
  }
  Result<void> operator()(const store::FinalRecord& final) {
    if (!known(final.node)) return damaged();
    run_.nodes[static_cast<std::size_t>(final.node)].final = final.evaluation;
    return {};
  }
  Result<void> operator()(const store::EndingRecord& ending) {
    run_.ending = ending;
    return {};
  }

  /// What the history leaves open.
  void close() {
    for (const int ask : waiting_) run_.unanswered.push_back(asks_.at(ask));
    for (const int proposal : pending_) run_.pending.push_back(proposals_.at(proposal));
  }

 private:
  /// Finds the proposal and the ask that led to a node.
  Result<void> trace(NodeView& view) const {
    if (!view.node.proposal) return {};
    const auto proposal = proposals_.find(*view.node.proposal);
    if (proposal == proposals_.end()) return damaged();
    view.proposal = proposal->second;
    if (!view.proposal->ask) return {};
    const auto ask = asks_.find(*view.proposal->ask);
    if (ask == asks_.end()) return damaged();
    view.ask = ask->second;
    if (const auto notes = notes_.find(ask->first); notes != notes_.end()) {
      view.notes = notes->second;
    }
    return {};
  }
  bool known(int node) const { return node >= 0 && node < static_cast<int>(run_.nodes.size()); }
  static tl::unexpected<Error> damaged() {
    return fail(ErrorCode::kCorrupt, "run.db refers to a record that is not there",
                "the file is damaged; restore it from a copy or start a new run");
  }
  RunView& run_;
  std::map<int, store::ProposalRecord> proposals_;
  std::map<int, store::AskRecord> asks_;
  std::map<int, std::vector<std::string>> notes_;  // by ask
  std::set<int> waiting_, pending_;                // asks, proposals
};

std::optional<double> full_depth_ns(const NodeView& view) {
  const Measured* measured = view.final ? view.final->measured() : nullptr;
  if (!measured) return std::nullopt;
  return measured->nanoseconds;
}

}  // namespace

int RunView::best() const {
  int best = -1;
  std::pair<bool, double> best_rank{};
  for (const NodeView& view : nodes) {
    if (!view.node.speedup || (view.final && !view.final->measured())) continue;
    const std::pair<bool, double> rank{view.final.has_value(), *speedup(view.node.id)};
    if (best < 0 || rank > best_rank) {
      best = view.node.id;
      best_rank = rank;
    }
  }
  return best;
}

std::vector<int> RunView::path_to(int node) const {
  std::vector<int> path{node};
  while (const auto parent = at(path.back()).node.parent) {
    path.push_back(*parent);
  }
  std::reverse(path.begin(), path.end());
  return path;
}

std::optional<double> RunView::speedup(int node) const {
  const NodeView& view = at(node);
  if (const auto ratio = this->ratio(node)) return ratio->value;
  const auto now = full_depth_ns(view), then = full_depth_ns(nodes.front());
  return now && then ? *then / *now : view.node.speedup;
}

std::optional<Speedup> RunView::ratio(int node) const {
  const NodeView& view = at(node);
  const std::optional<Evaluation>& judged = view.final ? view.final : view.node.evaluation;
  const Measured* measured = judged ? judged->measured() : nullptr;
  return measured ? measured->speedup : std::nullopt;
}

Result<RunView> read_run(const Path& folder) {
  KP_TRY(auto store, store::RunStore::open(folder, Sqlite::Access::kRead));
  RunView run;
  run.folder = folder;
  KP_TRY(run.meta, store.meta());
  KP_TRY(run.ledger, store.ledger());
  KP_TRY(const auto history, store.history());
  Reader reader(run);
  for (const auto& record : history) KP_TRY_VOID(std::visit(reader, record));
  reader.close();
  if (run.nodes.empty()) {
    return fail(ErrorCode::kInvalidInput, folder.string() + ": the run has judged nothing yet",
                "let `kernelpro resume` go on with it, or `kernelpro work` judge what is pending");
  }
  return run;
}

}  // namespace kp::report

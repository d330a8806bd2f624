// SPDX-License-Identifier: Apache-2.0
// A stored run, read whole, for show, explain and report.md.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "store/run_store.h"

namespace kp::report {

struct NodeView {
  store::NodeRecord node;
  std::optional<store::ProposalRecord> proposal;  // absent: virtual root
  std::optional<store::AskRecord> ask;            // that led to it; absent: root
  std::optional<Evaluation> final;                // newest judgement at full depth
  std::vector<int> children;
  std::vector<std::string> notes;  // of the proposer, when it wrote it
};

struct RunView {
  Path folder;
  store::Meta meta;
  std::vector<NodeView> nodes;  // by id
  std::vector<store::LedgerLine> ledger;
  std::optional<store::EndingRecord> ending;   // the newest
  std::vector<store::AskRecord> unanswered;    // asks that are open and brought no candidate yet
  std::vector<store::ProposalRecord> pending;  // candidates that are not judged yet

  const NodeView& at(int node) const { return nodes[static_cast<std::size_t>(node)]; }
  /// The fastest node that passed at full depth, else the fastest at quick depth; -1: none.
  int best() const;
  /// From the root to `node`.
  std::vector<int> path_to(int node) const;
  /// Speedup over the root, both at full depth when both were judged so; absent when not measured.
  std::optional<double> speedup(int node) const;
  /// As it was measured beside the baseline, with its interval; absent for modelled times.
  std::optional<Speedup> ratio(int node) const;
};

/// Errors: those of RunStore, and kInvalidInput when the run has no nodes yet.
Result<RunView> read_run(const Path& folder);

}  // namespace kp::report

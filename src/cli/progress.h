// SPDX-License-Identifier: Apache-2.0
// What optimize and resume show while they work: a bar on a terminal, a line for each candidate
// elsewhere.
#pragma once
#include <chrono>
#include <map>
#include <string>

#include "cli/terminal.h"
#include "loop/watcher.h"

namespace kp::cli {

class Progress final : public loop::Watcher {
 public:
  /// `budget`: evaluations that the run may spend; the end of the bar.
  Progress(Terminal& terminal, int budget);
  /// Counts what an earlier drive of the run judged, without showing it.
  void recall(const store::NodeSummary& node);
  void trying(int node, const store::ProposalRecord& proposal) override;
  void judged(const store::NodeRecord& node, const store::ProposalRecord& proposal) override;
  void concluding(int node) override;

 private:
  std::string bar() const;
  std::string pace() const;
  std::string line_of(const store::NodeRecord& node, const store::ProposalRecord& proposal) const;

  Terminal& terminal_;
  int budget_;
  int judged_ = 0, recalled_ = 0;
  double best_ = 0;  // speedup; 0: nothing correct yet
  std::map<std::string, int, std::less<>> outcomes_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace kp::cli

// SPDX-License-Identifier: Apache-2.0
// What the ledger says about each tool: how much of what it promised came true.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "diagnose/diagnose.h"
#include "store/records.h"

namespace kp::loop {

/// For each tool the mean of ln(gain) / ln(predicted high), each within [0, 1], failures counting
/// 0, drawn towards 0.5 by two imaginary lines so that one lucky child does not decide.
class Tally {
 public:
  /// Lines in the order of their nodes.
  void add(const std::vector<store::LedgerLine>& lines);
  /// The newest node that was added, or -1.
  int last_node() const { return last_node_; }
  diagnose::TrackRecord record() const;

 private:
  struct Sum {
    double value = 0, lines = 0;
  };
  std::map<std::string, Sum, std::less<>> sums_;
  int last_node_ = -1;
};

}  // namespace kp::loop

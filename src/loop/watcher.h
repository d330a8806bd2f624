// SPDX-License-Identifier: Apache-2.0
// Who is told what happens in a run; called from the thread that drives it.
#pragma once
#include "store/records.h"

namespace kp::loop {

class Watcher {
 public:
  virtual ~Watcher() = default;
  /// A candidate is about to be judged; `node` is the number that it gets when nobody else judges
  /// one meanwhile.
  virtual void trying(int node, const store::ProposalRecord& proposal) = 0;
  virtual void judged(const store::NodeRecord& node, const store::ProposalRecord& proposal) = 0;
  /// The best versions are being judged at full depth.
  virtual void concluding(int node) = 0;
};

}  // namespace kp::loop

// SPDX-License-Identifier: Apache-2.0
// What happens in a run, as progress of the call that makes it happen.
#pragma once
#include "loop/watcher.h"
#include "mcp/tool.h"

namespace kp::mcp {

class CallWatcher final : public loop::Watcher {
 public:
  /// `call` must outlive the watcher.
  explicit CallWatcher(Call& call) : call_(call) {}
  void trying(int node, const store::ProposalRecord& proposal) override;
  void judged(const store::NodeRecord& node, const store::ProposalRecord& proposal) override;
  void concluding(int node) override;
  /// A step that is no judgement.
  void tell(std::string_view message);

 private:
  Call& call_;
  int steps_ = 0;
};

}  // namespace kp::mcp

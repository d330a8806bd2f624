// SPDX-License-Identifier: Apache-2.0
#include "mcp/call_watcher.h"

#include <fmt/format.h>

namespace kp::mcp {

void CallWatcher::tell(std::string_view message) {
  call_.progress(++steps_, std::nullopt, message);
}

void CallWatcher::trying(int, const store::ProposalRecord& proposal) {
  tell(fmt::format("building, checking and timing candidate {}: {}", proposal.id, proposal.idea));
}

void CallWatcher::judged(const store::NodeRecord& node, const store::ProposalRecord&) {
  tell(fmt::format("node {}: {}", node.id, summary(*node.evaluation)));
}

void CallWatcher::concluding(int node) {
  tell(fmt::format("judging node {} again at full depth", node));
}

}  // namespace kp::mcp

// SPDX-License-Identifier: Apache-2.0
#include "loop/worker.h"

#include "loop/verdict.h"

namespace kp::loop {

Result<std::optional<store::NodeRecord>> Worker::step() {
  KP_TRY_VOID(run_.catch_up());
  KP_TRY(const auto claimed, claim());
  if (!claimed) return std::optional<store::NodeRecord>{};
  KP_TRY(auto node, judge_proposal(run_, judge_, watcher_, claimed->first, FullProfiles::kAtOnce));
  if (node.id == 0) KP_TRY_VOID(check_baseline(node));
  return std::optional(std::move(node));
}

Result<std::optional<Worker::Claimed>> Worker::claim() {
  // Judging changes what is pending; the copy is what was pending when we looked.
  const auto pending = run_.history().pending();
  for (const int proposal : pending) {
    KP_TRY(auto claim, store::Claim::take(run_.store().folder(), proposal));
    if (!claim) continue;
    // Its last holder may have judged it since we looked; now nobody else can.
    KP_TRY_VOID(run_.catch_up());
    if (run_.history().pending().contains(proposal)) {
      return std::optional(Claimed(proposal, *std::move(claim)));
    }
  }
  return std::optional<Claimed>{};
}

}  // namespace kp::loop

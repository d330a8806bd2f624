// SPDX-License-Identifier: Apache-2.0
// What a proposer is told for one ask.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "loop/live_run.h"
#include "propose/proposer.h"

namespace kp::loop {

/// What search memory has for a node, most alike first.
using Recall = std::function<Result<std::vector<Experience>>(LiveRun& run, int node)>;

/// Owns what the request points to.
class Briefing {
 public:
  /// `recall` may be empty: no memory.
  static Result<Briefing> read(LiveRun& run, const OpenAsk& ask, const Recall& recall);
  /// Valid while the briefing and the run are; `spec`, `stop` and `notes` are the caller's to set.
  propose::Request request(const LiveRun& run) const;

 private:
  OpenAsk ask_;
  Member parent_;
  std::vector<propose::Attempt> attempts_;
  std::vector<Experience> memory_;
};

}  // namespace kp::loop

// SPDX-License-Identifier: Apache-2.0
#include "loop/briefing.h"

#include <algorithm>

namespace kp::loop {
namespace {

propose::Attempt attempt_of(store::TrialLine line) {
  return {std::move(line.candidate), std::move(line.action),  std::move(line.tune),
          std::move(line.idea),      std::move(line.summary), line.gain};
}

}  // namespace

Result<Briefing> Briefing::read(LiveRun& run, const OpenAsk& ask, const Recall& recall) {
  Briefing briefing;
  briefing.ask_ = ask;
  KP_TRY(briefing.parent_, run.member(ask.ask.node));
  KP_TRY(auto tried, run.store().tried_at(ask.ask.node));
  for (auto& line : tried) briefing.attempts_.push_back(attempt_of(std::move(line)));
  if (recall) {
    KP_TRY(briefing.memory_, recall(run, ask.ask.node));
  }
  return briefing;
}

propose::Request Briefing::request(const LiveRun& run) const {
  propose::Request request{run.task()};
  request.role = ask_.ask.role;
  request.parent = parent_.candidate ? &*parent_.candidate : nullptr;
  request.evaluation = parent_.evaluation ? &*parent_.evaluation : nullptr;
  request.diagnosis = parent_.diagnosis ? &*parent_.diagnosis : nullptr;
  const search::Trial& trial = run.tree().node(ask_.ask.node).trial;
  if (trial.fate == search::Fate::kCorrect) request.speedup = trial.speedup;
  request.attempts = attempts_;
  request.known = run.history().known();
  request.memory = memory_;
  request.ask = ask_.id;
  request.most = run.settings().candidates_per_ask;
  if (request.role == search::Role::kSeed) {
    // Later asks at the root would have to wait until these are judged, one by one.
    request.most = std::max(request.most, propose::seeds_wanted(run.settings().proposer_options));
  }
  request.seed = run.settings().seed;
  return request;
}

}  // namespace kp::loop

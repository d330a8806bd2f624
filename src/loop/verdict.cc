// SPDX-License-Identifier: Apache-2.0
#include "loop/verdict.h"

namespace kp::loop {

Result<store::NodeRecord> judge_proposal(LiveRun& run, Judge& judge, Watcher* watcher, int proposal,
                                         FullProfiles when) {
  KP_TRY(const auto record, run.store().proposal(proposal));
  if (watcher) watcher->trying(run.nodes(), record);
  const auto candidate = candidate_of(run.task(), record);
  KP_TRY(const auto track_record, run.track_record());
  Judged judged;
  if (candidate) {
    KP_TRY(judged, judge.judge(*candidate, Depth::kQuick, track_record));
  } else {
    judged = unreadable(candidate.error(), Depth::kQuick, judge.device());
  }
  std::optional<FullProfile> full;
  if (when == FullProfiles::kAtOnce && judged.evaluation.measured()) {
    KP_TRY(full, judge.look_into(*candidate, track_record));
  }
  KP_TRY(auto node, run.enter(proposal, std::move(judged), std::move(full)));
  if (watcher) watcher->judged(node, record);
  return node;
}

Result<void> check_baseline(const store::NodeRecord& root) {
  if (root.evaluation->measured()) return {};
  return fail(ErrorCode::kInvalidInput,
              "the task's baseline does not work: " + summary(*root.evaluation),
              "correct it first; `kernelpro check` and `kernelpro eval` show more");
}

Result<void> look_into(LiveRun& run, Judge& judge, int node) {
  const bool measured = run.tree().node(node).trial.fate == search::Fate::kCorrect;
  if (!measured || run.history().fully_profiled(node)) return {};
  KP_TRY(const auto member, run.member(node));
  KP_TRY(const auto track_record, run.track_record());
  KP_TRY(auto full, judge.look_into(*member.candidate, track_record));
  if (!full) return {};
  return run.enter(node, *std::move(full));
}

}  // namespace kp::loop

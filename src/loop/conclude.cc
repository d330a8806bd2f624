// SPDX-License-Identifier: Apache-2.0
// The end of a run: what was found fast at quick depth is judged again at full depth, and only what
// passes is the result.
#include <algorithm>

#include "loop/session.h"
#include "loop/standalone.h"

namespace kp::loop {
namespace {

constexpr int kMostChampions = 5;  // versions that may fail at final depth before the baseline wins

std::vector<int> champions(const search::Tree& tree) {
  std::vector<int> nodes;
  for (const search::Node& node : tree.nodes()) {
    if (node.trial.fate == search::Fate::kCorrect) nodes.push_back(node.id);
  }
  std::stable_sort(nodes.begin(), nodes.end(), [&tree](int a, int b) {
    return tree.node(a).trial.speedup > tree.node(b).trial.speedup;
  });
  return nodes;
}

}  // namespace

search::Progress Session::progress() const {
  search::Progress progress;
  progress.evaluations = family_.evaluations();
  progress.elapsed = std::chrono::steady_clock::now() - began_;
  const int best = tree().best();
  progress.any_correct = best >= 0;
  progress.since_improvement = progress.evaluations - last_gain_;
  progress.best_at_roof =
      best >= 0 && family_.at(best).diagnosis && family_.at(best).diagnosis->at_roof;
  progress.exhausted = exhausted_;
  return progress;
}

std::optional<search::StopReason> Session::finished() const {
  return search::first_reason(rules_, progress());
}

Result<Ending> Session::run(const StopFlag& stop) {
  while (!stop.requested()) {
    if (auto reason = finished()) return conclude(*std::move(reason));
    KP_TRY_VOID(step());
  }
  return conclude({"interrupted", "the run was interrupted; `kernelpro resume` goes on"});
}

Result<Ending> Session::conclude(search::StopReason reason) {
  Ending ending;
  ending.reason = std::move(reason);
  ending.evaluations = family_.evaluations();
  const auto judge_fully = [this](int node) -> Result<Evaluation> {
    if (rooms_.watcher) rooms_.watcher->concluding(node);
    KP_TRY(auto evaluation, rooms_.harness.evaluate(*family_.at(node).candidate, Depth::kFinal));
    KP_TRY_VOID(store_.append(store::FinalRecord{node, evaluation}));
    return evaluation;
  };
  const auto ranked = champions(tree());
  for (std::size_t i = 0; i < ranked.size() && i < kMostChampions && ending.best < 0; ++i) {
    KP_TRY(const auto evaluation, judge_fully(ranked[i]));
    const Measured* measured = evaluation.measured();
    if (!measured) continue;
    ending.best = ranked[i];
    ending.best_ns = measured->nanoseconds;
    ending.grade = measured->grade;
  }
  if (ending.best >= 0) {
    ending.baseline_ns = *family_.reference_ns();
    if (ending.best == 0) ending.baseline_ns = ending.best_ns;
    if (ending.best > 0 && family_.at(0).candidate) {
      KP_TRY(const auto evaluation, judge_fully(0));
      if (const Measured* measured = evaluation.measured())
        ending.baseline_ns = measured->nanoseconds;
    }
    ending.speedup = ending.baseline_ns / ending.best_ns;
    KP_TRY(const std::string text, standalone(*family_.at(ending.best).candidate));
    ending.best_file = store_.folder() / "best.cu";
    KP_TRY_VOID(write_file(ending.best_file, text));
  }
  KP_TRY_VOID(store_.append(store::EndingRecord{ending.reason.rule, ending.reason.sentence}));
  return ending;
}

}  // namespace kp::loop

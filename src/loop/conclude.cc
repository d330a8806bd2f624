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
    if (auto reason = finished()) {
      auto ending = conclude(*std::move(reason));
      if (ending || !stop.requested()) return ending;
      break;
    }
    // What is cut short by the stop flag fails; it is judged again on resume.
    if (auto stepped = step(); !stepped && !stop.requested()) {
      return tl::unexpected<Error>(std::move(stepped).error());
    }
  }
  return interrupted();
}

Result<Evaluation> Session::judge_fully(int node) {
  if (rooms_.watcher) rooms_.watcher->concluding(node);
  KP_TRY(auto evaluation, rooms_.harness.evaluate(*family_.at(node).candidate, Depth::kFinal));
  KP_TRY_VOID(store_.append(store::FinalRecord{node, evaluation}));
  return evaluation;
}

Result<Ending> Session::conclude(search::StopReason reason) {
  Ending ending;
  ending.reason = std::move(reason);
  const auto ranked = champions(tree());
  for (std::size_t i = 0; i < ranked.size() && i < kMostChampions && ending.best < 0; ++i) {
    KP_TRY(const auto evaluation, judge_fully(ranked[i]));
    if (const Measured* measured = evaluation.measured()) take(ending, ranked[i], *measured);
  }
  const bool has_baseline = family_.at(0).candidate.has_value();
  if (ending.best > 0 && has_baseline) {
    KP_TRY(const auto evaluation, judge_fully(0));
    const Measured* measured = evaluation.measured();
    // A ratio that was measured in alternation already knows the baseline's time.
    if (measured && !ending.ratio) ending.baseline_ns = measured->nanoseconds;
  } else if (ending.best == 0) {
    ending.baseline_ns = ending.best_ns;
  }
  return record(std::move(ending));
}

Result<Ending> Session::interrupted() {
  Ending ending;
  ending.reason = {"interrupted", "interrupted; the best so far was not judged at full depth yet"};
  const int best = tree().best();
  if (best >= 0) take(ending, best, *family_.at(best).evaluation->measured());
  return record(std::move(ending));
}

void Session::take(Ending& ending, int node, const Measured& measured) const {
  ending.best = node;
  ending.best_ns = measured.nanoseconds;
  ending.ratio = measured.speedup;
  ending.baseline_ns =
      measured.speedup ? measured.nanoseconds * measured.speedup->value : *family_.reference_ns();
  ending.grade = measured.grade;
}

Result<Ending> Session::record(Ending ending) {
  ending.evaluations = family_.evaluations();
  if (ending.best >= 0) {
    ending.speedup = ending.ratio ? ending.ratio->value : ending.baseline_ns / ending.best_ns;
    KP_TRY(const std::string text, standalone(*family_.at(ending.best).candidate));
    ending.best_file = store_.folder() / "best.cu";
    KP_TRY_VOID(write_file(ending.best_file, text));
  }
  KP_TRY_VOID(store_.append(store::EndingRecord{ending.reason.rule, ending.reason.sentence}));
  return ending;
}

}  // namespace kp::loop

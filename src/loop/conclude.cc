// SPDX-License-Identifier: Apache-2.0
#include "loop/conclude.h"

#include <algorithm>

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

Result<Evaluation> judge_fully(LiveRun& run, Judge& judge, Watcher* watcher, int node) {
  if (watcher) watcher->concluding(node);
  KP_TRY(const auto member, run.member(node));
  KP_TRY(const auto track_record, run.track_record());
  KP_TRY(auto judged, judge.judge(*member.candidate, Depth::kFinal, track_record));
  KP_TRY_VOID(run.append(store::FinalRecord{node, judged.evaluation}));
  return std::move(judged.evaluation);
}

void take(Ending& ending, const LiveRun& run, int node, const Measured& measured) {
  ending.best = node;
  ending.best_ns = measured.nanoseconds;
  ending.ratio = measured.speedup;
  ending.baseline_ns = measured.speedup ? measured.nanoseconds * measured.speedup->value
                                        : *run.history().reference_ns();
  ending.grade = measured.grade;
}

Result<Ending> record(LiveRun& run, Ending ending) {
  ending.evaluations = run.history().progress().evaluations;
  if (ending.best >= 0) {
    ending.speedup = ending.ratio ? ending.ratio->value : ending.baseline_ns / ending.best_ns;
    KP_TRY(const auto member, run.member(ending.best));
    KP_TRY(const std::string text, standalone(*member.candidate));
    ending.best_file = run.store().folder() / "best.cu";
    KP_TRY_VOID(write_file(ending.best_file, text));
  }
  KP_TRY_VOID(run.append(store::EndingRecord{ending.reason.rule, ending.reason.sentence}));
  return ending;
}

}  // namespace

Result<Ending> conclude(LiveRun& run, Judge& judge, Watcher* watcher, search::StopReason reason) {
  Ending ending;
  ending.reason = std::move(reason);
  const auto ranked = champions(run.tree());
  for (std::size_t i = 0; i < ranked.size() && i < kMostChampions && ending.best < 0; ++i) {
    KP_TRY(const auto evaluation, judge_fully(run, judge, watcher, ranked[i]));
    if (const Measured* measured = evaluation.measured()) take(ending, run, ranked[i], *measured);
  }
  const bool has_baseline = run.tree().node(0).trial.fate != search::Fate::kVirtual;
  if (ending.best > 0 && has_baseline) {
    KP_TRY(const auto evaluation, judge_fully(run, judge, watcher, 0));
    const Measured* measured = evaluation.measured();
    // A ratio that was measured in alternation already knows the baseline's time.
    if (measured && !ending.ratio) ending.baseline_ns = measured->nanoseconds;
  } else if (ending.best == 0) {
    ending.baseline_ns = ending.best_ns;
  }
  return record(run, std::move(ending));
}

Result<Ending> break_off(LiveRun& run) {
  Ending ending;
  ending.reason = {"interrupted", "interrupted; the best so far was not judged at full depth yet"};
  const int best = run.tree().best();
  if (best >= 0) {
    KP_TRY(const auto member, run.member(best));
    take(ending, run, best, *member.evaluation->measured());
  }
  return record(run, std::move(ending));
}

}  // namespace kp::loop

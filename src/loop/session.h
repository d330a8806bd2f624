// SPDX-License-Identifier: Apache-2.0
// The loop: the search picks a node, the proposer writes a candidate, the harness evaluates it, the
// diagnosis finds, the search is told; every arrow is a row in the store.
#pragma once
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/stop.h"
#include "diagnose/diagnose.h"
#include "harness/harness.h"
#include "loop/family.h"
#include "loop/settings.h"
#include "search/stop_rules.h"
#include "search/strategy.h"
#include "store/run_store.h"

namespace kp::loop {

/// Who is told what happens; called from the thread that drives the session.
class Watcher {
 public:
  virtual ~Watcher() = default;
  /// A candidate is about to be judged as node `node`.
  virtual void trying(int node, const store::ProposalRecord& proposal) = 0;
  virtual void judged(const store::NodeRecord& node, const store::ProposalRecord& proposal) = 0;
  /// The best versions are being judged at full depth.
  virtual void concluding(int node) = 0;
};

/// What a run came to.
struct Ending {
  search::StopReason reason;
  int evaluations = 0;
  int best = -1;                 // node; -1: nothing correct was found
  double speedup = 0;            // of best over the baseline, both at final depth
  std::optional<Speedup> ratio;  // the same with its interval, where it was measured
  Grade grade = Grade::kModelled;
  double baseline_ns = 0, best_ns = 0;
  Path best_file;  // best.cu; empty when there is no best
};

/// The rooms that a session drives; they must outlive it.
struct Rooms {
  harness::Harness& harness;
  device::Device& device;
  propose::Proposer& proposer;
  Watcher* watcher = nullptr;  // may be null
};

class Session {
 public:
  /// Creates the run in `folder` and judges the baseline. Errors: the world's, and kInvalidInput
  /// with the summary of its evaluation when the baseline does not work.
  static Result<Session> start(const Settings& settings, Rooms rooms, const Path& folder);
  /// Repeats the history of a stored run and finishes what was in flight. kCorrupt when the history
  /// does not follow from the seed.
  static Result<Session> resume(const Settings& settings, Rooms rooms, store::RunStore store);

  /// One ask, all the way round.
  Result<void> step();
  /// Why the run ends now, or nothing.
  std::optional<search::StopReason> finished() const;
  /// Steps until a rule or `stop` ends the run, judges the best at final depth, records the ending.
  Result<Ending> run(const StopFlag& stop);

  const search::Tree& tree() const { return strategy_->tree(); }

 private:
  Session(const Settings& settings, Rooms rooms, store::RunStore store);

  Result<void> plant();
  Result<void> replay();
  Result<void> repeat(const store::Record& record);
  Result<void> repeat_node(const store::NodeRecord& node);
  Result<void> repeat_profile(const store::ProfileRecord& later);
  Result<void> finish_open_ask();
  Result<void> look_into(int node);
  Result<std::vector<store::ProposalRecord>> write_proposals(const search::Ask& ask);
  Result<void> judge(const store::ProposalRecord& proposal);
  Result<void> close(bool exhausted);
  void enter(const store::NodeRecord& node, const store::ProposalRecord* proposal);
  search::Progress progress() const;
  Result<Ending> conclude(search::StopReason reason);
  Result<Ending> interrupted();
  Result<Evaluation> judge_fully(int node);
  void take(Ending& ending, int node, const Measured& measured) const;
  Result<Ending> record(Ending ending);

  /// An ask that is not closed, with the proposals that came of it and how many of them were
  /// judged.
  struct Open {
    search::Ask ask;
    std::vector<store::ProposalRecord> proposals;
    std::size_t judged = 0;
  };

  Settings settings_;
  Rooms rooms_;
  store::RunStore store_;
  Family family_;
  std::unique_ptr<search::Strategy> strategy_;  // null before the root is planted
  std::vector<std::unique_ptr<search::StopRule>> rules_;
  std::optional<Open> open_;
  int asks_ = 0, proposals_ = 0;
  int last_gain_ = 0;  // evaluations when the best last rose
  bool exhausted_ = false;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

/// Judges `candidate` without a run: what `eval` and `diagnose` do. The diagnosis is absent unless
/// the candidate was measured.
struct Judged {
  Evaluation evaluation;
  std::optional<Diagnosis> diagnosis;
};
Result<Judged> judge_candidate(harness::Harness& harness, const device::Device& device,
                               const Candidate& candidate, Depth depth,
                               const diagnose::TrackRecord& record = {});
/// What the tools say of a profile of the task; absent when its workload is none of the task's.
Result<std::optional<Diagnosis>> diagnose_profile(const Task& task, const device::Device& device,
                                                  const Profile& profile,
                                                  const diagnose::TrackRecord& record);

}  // namespace kp::loop

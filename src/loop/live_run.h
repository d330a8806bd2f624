// SPDX-License-Identifier: Apache-2.0
// A stored run and what follows from it. Each step is one change of the store that begins by
// hearing what other processes did: whoever drives a run, alone or beside others, drives it with
// these.
#pragma once
#include <optional>
#include <type_traits>
#include <vector>

#include "loop/history.h"
#include "loop/judge.h"
#include "loop/member.h"
#include "loop/settings.h"
#include "loop/track_record.h"
#include "propose/proposer.h"
#include "store/run_store.h"

namespace kp::loop {

/// Where a candidate that was handed in is kept.
struct HandedIn {
  int proposal = 0;
  bool known = false;  // the run had it already
};

class LiveRun {
 public:
  /// A new run in `folder`. kNotFound when the strategy is not known, before anything is stored.
  static Result<LiveRun> create(const Settings& settings, const Task& task, const Path& folder);
  /// Repeats the history. `task` must outlive the run. kInvalidInput when it is not the run's;
  /// kCorrupt when the history does not follow from the seed.
  static Result<LiveRun> open(store::RunStore store, const Settings& settings, const Task& task);

  /// Hears what other processes did since.
  Result<void> catch_up();
  /// The first step: the baseline becomes a proposal, or the virtual root a node.
  Result<void> plant();
  /// An ask that waits to be carried on: one with candidates to judge, else one that nobody
  /// answered, else a new one. Nothing when the search has no node to ask for.
  Result<std::optional<OpenAsk>> next();
  /// A new ask.
  Result<std::optional<OpenAsk>> ask();
  /// Hands in what came of an open ask; nothing closes it, and when it is `exhausted`, says that
  /// there is nothing more for its node.
  Result<void> answer(int ask, std::vector<propose::Proposal> proposals, bool exhausted = true);
  /// The same for a node: for its oldest ask that nobody answered, else for one made up for it. A
  /// candidate that the run knows is not taken twice.
  Result<std::vector<HandedIn>> volunteer(int node, std::vector<propose::Proposal> proposals);
  /// Nobody has a further idea for `node`: closes its oldest ask that nobody answered.
  Result<void> pass(int node);
  /// The verdict on a proposal that is pending; after the last one of an ask closes it. What was
  /// learned is passed on to the memory that the run shares.
  Result<store::NodeRecord> enter(int proposal, Judged judged, std::optional<FullProfile> full);
  Result<void> enter(int node, FullProfile full);
  Result<void> append(const store::Record& record);

  const History& history() const { return history_; }
  const search::Tree& tree() const { return history_.tree(); }
  int nodes() const { return history_.nodes(); }
  const Settings& settings() const { return settings_; }
  const Task& task() const { return *task_; }
  store::RunStore& store() { return store_; }
  Result<Member> member(int node) { return read_member(store_, *task_, node); }
  /// How far each tool's promises came true so far.
  Result<diagnose::TrackRecord> track_record();

 private:
  LiveRun(store::RunStore store, const Settings& settings, const Task& task);
  /// `step` inside one change, after hearing what others did before it.
  template <class Step>
  std::invoke_result_t<Step> change(Step step);
  /// Inserts into the change that is open, and hears it.
  Result<void> write(const store::Record& record);
  Result<store::NodeRecord> insert_node(int proposal, Judged judged,
                                        std::optional<FullProfile> full);
  Result<void> write_proposals(std::optional<int> ask, std::vector<propose::Proposal> proposals);
  Result<int> ask_for(int node);
  std::optional<int> unanswered_at(int node) const;
  Result<void> close_if_done(int ask);

  store::RunStore store_;
  Settings settings_;
  const Task* task_;
  History history_;
  Tally tally_;
  std::int64_t heard_ = 0;  // the last event
  int passed_on_ = -1;      // the last node whose experience the shared memory got from here
};

}  // namespace kp::loop

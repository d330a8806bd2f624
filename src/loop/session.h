// SPDX-License-Identifier: Apache-2.0
// The loop: the search picks a node, the proposer writes a candidate, the judge evaluates it, the
// diagnosis finds, the search is told; every arrow is a row in the store.
#pragma once
#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "base/result.h"
#include "base/stop.h"
#include "loop/briefing.h"
#include "loop/conclude.h"
#include "loop/judge.h"
#include "loop/live_run.h"
#include "loop/watcher.h"
#include "search/stop_rules.h"

namespace kp::loop {

/// Who a session works with; they must outlive it.
struct Rooms {
  Judge& judge;
  propose::Proposer& proposer;
  Watcher* watcher = nullptr;  // may be null
  Recall recall{};             // may be empty
};

class Session {
 public:
  /// Creates the run in `folder` and judges the baseline. Errors: the world's, and kInvalidInput
  /// with the summary of its evaluation when the baseline does not work.
  static Result<Session> start(const Settings& settings, Rooms rooms, const Path& folder);
  /// Repeats the history of a stored run; the first steps finish what was in flight. kCorrupt when
  /// the history does not follow from the seed.
  static Result<Session> resume(const Settings& settings, Rooms rooms, store::RunStore store);

  /// One ask, all the way round.
  Result<void> step();
  /// Why the run ends now, or nothing.
  std::optional<search::StopReason> finished() const;
  /// Steps until a rule or `stop` ends the run, judges the best at final depth, records the ending.
  Result<Ending> run(const StopFlag& stop);

  const search::Tree& tree() const { return run_.tree(); }

 private:
  Session(Rooms rooms, LiveRun run);

  static Result<Session> planted(Rooms rooms, LiveRun run);
  Result<void> plant();
  Result<void> look_into(int node);
  Result<void> work_on(const OpenAsk& ask);
  Result<void> take(const OpenAsk& ask, const propose::Request& request,
                    std::vector<propose::Proposal> proposals);
  Result<void> keep_spending(int ask);
  Result<void> spend(Error error);

  Rooms rooms_;
  LiveRun run_;
  std::vector<std::unique_ptr<search::StopRule>> rules_;
  const StopFlag* stop_ = nullptr;
  std::set<int> looked_into_;                // nodes, whether or not there was more to see
  std::optional<search::StopReason> spent_;  // the proposer may go no further
  std::optional<llm::Spending> kept_;        // of what the proposer spent, in the store
  int fruitless_ = 0;  // asks in a row without a proposal; one who resumes wants them tried again
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace kp::loop

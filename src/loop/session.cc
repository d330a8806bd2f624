// SPDX-License-Identifier: Apache-2.0
#include "loop/session.h"

#include <utility>

#include "loop/spending.h"
#include "loop/verdict.h"

namespace kp::loop {
Session::Session(Rooms rooms, LiveRun run)
    : rooms_(std::move(rooms)),
      run_(std::move(run)),
      rules_(search::make_stop_rules(run_.settings().stop)),
      kept_(rooms_.proposer.spent()) {}

Result<Session> Session::start(const Settings& settings, Rooms rooms, const Path& folder) {
  KP_TRY(auto run, LiveRun::create(settings, rooms.judge.task(), folder));
  return planted(std::move(rooms), std::move(run));
}

Result<Session> Session::resume(const Settings& settings, Rooms rooms, store::RunStore store) {
  KP_TRY(auto run, LiveRun::open(std::move(store), settings, rooms.judge.task()));
  return planted(std::move(rooms), std::move(run));
}

Result<Session> Session::planted(Rooms rooms, LiveRun run) {
  Session session(std::move(rooms), std::move(run));
  KP_TRY_VOID(session.plant());
  return session;
}

Result<void> Session::plant() {
  KP_TRY_VOID(run_.plant());
  if (run_.history().planted()) return {};
  KP_TRY(const auto root,
         judge_proposal(run_, rooms_.judge, rooms_.watcher, 0, FullProfiles::kWhenImproved));
  return check_baseline(root);
}

Result<void> Session::step() {
  KP_TRY(const auto ask, run_.next());
  if (!ask) return {};
  if (!ask->answered) {
    KP_TRY_VOID(look_into(ask->ask.node));
    KP_TRY_VOID(work_on(*ask));
  }
  while (const auto proposal = run_.history().next_pending(ask->id)) {
    KP_TRY_VOID(
        judge_proposal(run_, rooms_.judge, rooms_.watcher, *proposal, FullProfiles::kWhenImproved));
  }
  return {};
}

/// A node that is to be improved is worth all metrics; its first profile on hardware has few.
Result<void> Session::look_into(int node) {
  if (!looked_into_.insert(node).second) return {};
  return loop::look_into(run_, rooms_.judge, node);
}

Result<void> Session::work_on(const OpenAsk& ask) {
  KP_TRY(const auto briefing, Briefing::read(run_, ask, rooms_.recall));
  std::vector<std::string> notes;
  propose::Request request = briefing.request(run_);
  request.spec = &rooms_.judge.device().spec;
  request.stop = stop_;
  request.notes = &notes;
  auto proposals = rooms_.proposer.propose(request);
  for (std::string& note : notes) {
    KP_TRY_VOID(run_.append(store::NoteRecord{ask.id, std::move(note)}));
  }
  KP_TRY_VOID(keep_spending(ask.id));
  if (!proposals) return spend(std::move(proposals).error());
  return take(ask, request, *std::move(proposals));
}

Result<void> Session::take(const OpenAsk& ask, const propose::Request& request,
                           std::vector<propose::Proposal> proposals) {
  const bool none = proposals.empty();
  // Who is interrupted may have had more to say: the ask stays open.
  if (none && stop_ && stop_->requested()) return {};
  const bool exhausted = none && rooms_.proposer.exhausted(request);
  fruitless_ = none && !exhausted ? fruitless_ + 1 : 0;
  return run_.answer(ask.id, std::move(proposals), exhausted);
}

/// Also of asks that failed: what they used is paid for.
Result<void> Session::keep_spending(int ask) {
  const auto now = rooms_.proposer.spent();
  if (!now || !kept_ || now->calls == kept_->calls) return {};
  store::SpendingRecord spent = spent_since(*kept_, *now);
  spent.ask = ask;
  spent.proposer = run_.settings().proposer;
  kept_ = now;
  return run_.store().spend(spent);
}

/// A proposer that has spent its budget ends the run; its ask stays open for one that goes on.
Result<void> Session::spend(Error error) {
  if (error.code != ErrorCode::kLimit) return tl::unexpected<Error>(std::move(error));
  spent_ = {"spending", "the budget of tokens or money is spent: " + error.message};
  return {};
}

std::optional<search::StopReason> Session::finished() const {
  search::Progress progress = run_.history().progress();
  progress.elapsed = std::chrono::steady_clock::now() - began_;
  progress.fruitless = fruitless_;
  if (!run_.history().pending().empty()) return std::nullopt;
  return spent_ ? spent_ : search::first_reason(rules_, progress);
}

Result<Ending> Session::run(const StopFlag& stop) {
  stop_ = &stop;
  while (!stop.requested()) {
    if (auto reason = finished()) {
      auto ending = conclude(run_, rooms_.judge, rooms_.watcher, *std::move(reason));
      if (ending || !stop.requested()) return ending;
      break;
    }
    // What is cut short by the stop flag fails; it is judged again on resume.
    if (auto stepped = step(); !stepped && !stop.requested()) {
      return tl::unexpected<Error>(std::move(stepped).error());
    }
  }
  return break_off(run_);
}

}  // namespace kp::loop

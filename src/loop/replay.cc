// SPDX-License-Identifier: Apache-2.0
// Going on with a stored run: the strategy hears again what it heard before, so that it comes to
// the same state; then what was in flight is finished.
#include <fmt/format.h>

#include "loop/session.h"

namespace kp::loop {
namespace {

tl::unexpected<Error> does_not_follow(const std::string& what) {
  return fail(ErrorCode::kCorrupt, "the history in run.db does not follow from its seed: " + what,
              "the run was made by another version, or was edited; start a new one");
}

}  // namespace

Result<Session> Session::resume(const Settings& settings, Rooms rooms, store::RunStore store) {
  KP_TRY(const auto meta, store.meta());
  KP_TRY_VOID(check_same_task(meta, rooms.harness.task()));
  Session session(settings, rooms, std::move(store));
  KP_TRY_VOID(session.replay());
  return session;
}

Result<void> Session::replay() {
  KP_TRY(const auto history, store_.history());
  for (const store::Record& record : history) KP_TRY_VOID(repeat(record));
  if (!strategy_) {
    // Killed while the baseline was judged: its proposal may be stored, its node is not.
    const bool stored = open_ && !open_->proposals.empty();
    if (!stored) return plant();
    const auto baseline = open_->proposals.front();
    open_.reset();
    return judge(baseline);
  }
  if (!open_) return {};
  if (open_->proposals.empty()) {
    KP_TRY(open_->proposals, write_proposals(open_->ask));
  }
  return finish_open_ask();
}

Result<void> Session::repeat(const store::Record& record) {
  if (const auto* ask = std::get_if<store::AskRecord>(&record)) {
    const auto now = strategy_ ? strategy_->ask() : std::nullopt;
    if (!now || now->node != ask->node || name_of(now->role) != ask->role) {
      return does_not_follow(fmt::format("ask {} was for node {}", ask->id, ask->node));
    }
    open_ = Open{*now, {}, 0};
    asks_ = ask->id + 1;
  } else if (const auto* proposal = std::get_if<store::ProposalRecord>(&record)) {
    if (!open_) open_.emplace();
    open_->proposals.push_back(*proposal);
    proposals_ = proposal->id;
  } else if (const auto* node = std::get_if<store::NodeRecord>(&record)) {
    return repeat_node(*node);
  } else if (const auto* later = std::get_if<store::ProfileRecord>(&record)) {
    return repeat_profile(*later);
  } else if (const auto* closing = std::get_if<store::CloseRecord>(&record)) {
    if (!open_ || !strategy_) return does_not_follow("an ask was closed that was not open");
    strategy_->close(open_->ask, closing->exhausted);
    open_.reset();
  }
  return {};
}

Result<void> Session::repeat_profile(const store::ProfileRecord& later) {
  if (later.node < 0 || later.node >= static_cast<int>(family_.size())) {
    return does_not_follow(fmt::format("node {} was profiled before it was judged", later.node));
  }
  family_.look_into(later.node, std::pair{later.profile, later.diagnosis});
  return {};
}

Result<void> Session::repeat_node(const store::NodeRecord& node) {
  if (node.id != static_cast<int>(family_.size())) {
    return does_not_follow(fmt::format("node {} is out of order", node.id));
  }
  const store::ProposalRecord* proposal = nullptr;
  if (node.proposal) {
    const std::size_t next = open_ ? open_->judged : 0;
    if (!open_ || next >= open_->proposals.size() || open_->proposals[next].id != *node.proposal) {
      return does_not_follow(fmt::format("node {} has no proposal", node.id));
    }
    proposal = &open_->proposals[next];
  }
  const bool is_root = !strategy_;
  enter(node, proposal);
  if (is_root) open_.reset();
  return {};
}

}  // namespace kp::loop

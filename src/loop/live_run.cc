// SPDX-License-Identifier: Apache-2.0
#include "loop/live_run.h"

#include <fmt/format.h>

#include "loop/memory.h"

namespace kp::loop {
namespace {

/// Without its number and its ask.
store::ProposalRecord record_of(propose::Proposal proposal, const Task& task) {
  store::ProposalRecord record;
  record.source = std::move(proposal.source);
  record.tune = std::move(proposal.tune);
  record.idea = std::move(proposal.idea);
  record.tool = std::move(proposal.tool);
  record.action = std::move(proposal.action);
  record.predicted = proposal.predicted;
  record.sources = std::move(proposal.sources);
  record.candidate = identity(task, record);
  return record;
}

store::ProfileRecord record_of(int node, FullProfile full) {
  return {node, std::move(full.profile), std::move(full.diagnosis)};
}

Result<void> check_node(const History& history, int node) {
  if (!history.planted()) {
    return fail(ErrorCode::kInvalidInput, "the run has no nodes yet: its baseline is not judged",
                "let `kernelpro work` judge it first");
  }
  const int last = history.nodes() - 1;
  if (node >= 0 && node <= last) return {};
  return fail(ErrorCode::kInvalidInput,
              fmt::format("the run has no node {}; its nodes are 0 to {}", node, last),
              "`kernelpro show` lists them");
}

}  // namespace

LiveRun::LiveRun(store::RunStore store, const Settings& settings, const Task& task)
    : store_(std::move(store)),
      settings_(settings),
      task_(&task),
      history_(settings.search, settings.seed) {}

Result<LiveRun> LiveRun::create(const Settings& settings, const Task& task, const Path& folder) {
  KP_TRY(const auto meta, to_meta(settings, task));
  KP_TRY(const auto known, search::make_strategy(settings.search, search::Trial{}));
  KP_TRY(auto store, store::RunStore::create(folder, meta));
  return open(std::move(store), settings, task);
}

Result<LiveRun> LiveRun::open(store::RunStore store, const Settings& settings, const Task& task) {
  KP_TRY(const auto meta, store.meta());
  KP_TRY_VOID(check_same_task(meta, task));
  LiveRun run(std::move(store), settings, task);
  KP_TRY_VOID(run.catch_up());
  return run;
}

Result<void> LiveRun::catch_up() {
  KP_TRY(const auto events, store_.events(heard_));
  for (const store::Event& event : events) {
    KP_TRY_VOID(history_.take(event.what));
    heard_ = event.number;
  }
  return {};
}

Result<diagnose::TrackRecord> LiveRun::track_record() {
  KP_TRY(const auto lines, store_.ledger(tally_.last_node()));
  tally_.add(lines);
  return tally_.record();
}

template <class Step>
std::invoke_result_t<Step> LiveRun::change(Step step) {
  KP_TRY(auto change, store_.change());
  KP_TRY_VOID(catch_up());
  auto result = step();
  if (result) KP_TRY_VOID(change.commit());
  return result;
}

Result<void> LiveRun::write(const store::Record& record) {
  KP_TRY_VOID(store_.insert(record));
  return catch_up();
}

Result<void> LiveRun::append(const store::Record& record) {
  return change([&] { return write(record); });
}

Result<void> LiveRun::plant() {
  return change([this]() -> Result<void> {
    if (history_.planted() || !history_.pending().empty()) return {};
    if (!task_->baseline) return write(store::NodeRecord{});
    propose::Proposal baseline;
    baseline.source = *task_->baseline;
    baseline.idea = "the baseline";
    return write_proposals(std::nullopt, {baseline});
  });
}

Result<std::optional<OpenAsk>> LiveRun::next() {
  const OpenAsk* unanswered = nullptr;
  for (const auto& [id, open] : history_.open()) {
    if (!open.pending.empty()) return std::optional(open);
    if (!open.answered && !unanswered) unanswered = &open;
  }
  if (unanswered) return std::optional(*unanswered);
  return ask();
}

Result<std::optional<OpenAsk>> LiveRun::ask() {
  return change([this]() -> Result<std::optional<OpenAsk>> {
    const auto drawn = history_.draw();
    if (!drawn) return std::optional<OpenAsk>{};
    const int id = history_.next_ask();
    KP_TRY_VOID(write(
        store::AskRecord{id, drawn->node, std::string(name_of(drawn->role)), drawn->why, false}));
    return std::optional(history_.open().at(id));
  });
}

Result<void> LiveRun::write_proposals(std::optional<int> ask,
                                      std::vector<propose::Proposal> proposals) {
  for (propose::Proposal& p : proposals) {
    auto record = record_of(std::move(p), *task_);
    record.ask = ask;
    record.id = ask ? history_.next_proposal() : 0;
    KP_TRY_VOID(write(record));
  }
  return {};
}

Result<void> LiveRun::answer(int ask, std::vector<propose::Proposal> proposals, bool exhausted) {
  return change([&]() -> Result<void> {
    if (!history_.open().contains(ask)) {
      return fail(ErrorCode::kInvalidInput, fmt::format("ask {} is closed", ask),
                  "`kernelpro show` lists the asks that are open");
    }
    if (proposals.empty()) return write(store::CloseRecord{ask, exhausted});
    return write_proposals(ask, std::move(proposals));
  });
}

Result<std::vector<HandedIn>> LiveRun::volunteer(int node,
                                                 std::vector<propose::Proposal> proposals) {
  return change([&]() -> Result<std::vector<HandedIn>> {
    KP_TRY_VOID(check_node(history_, node));
    std::optional<int> ask;
    std::vector<HandedIn> handed_in;
    for (propose::Proposal& p : proposals) {
      auto record = record_of(std::move(p), *task_);
      if (const auto known = history_.proposal_of(record.candidate)) {
        handed_in.push_back({*known, true});
        continue;
      }
      if (!ask) {
        KP_TRY(ask, ask_for(node));
      }
      record.ask = ask;
      record.id = history_.next_proposal();
      KP_TRY_VOID(write(record));
      handed_in.push_back({record.id, false});
    }
    return handed_in;
  });
}

std::optional<int> LiveRun::unanswered_at(int node) const {
  for (const auto& [id, open] : history_.open()) {
    if (open.ask.node == node && !open.answered) return id;
  }
  return std::nullopt;
}

Result<int> LiveRun::ask_for(int node) {
  if (const auto open = unanswered_at(node)) return *open;
  const int id = history_.next_ask();
  KP_TRY_VOID(write(store::AskRecord{id, node, std::string(name_of(history_.role_at(node))),
                                     "was chosen by who wrote the candidate", true}));
  return id;
}

Result<void> LiveRun::pass(int node) {
  return change([&]() -> Result<void> {
    KP_TRY_VOID(check_node(history_, node));
    if (const auto ask = unanswered_at(node)) return write(store::CloseRecord{*ask, true});
    return fail(ErrorCode::kInvalidInput,
                fmt::format("node {} has no ask that waits for an answer", node),
                "`kernelpro show` lists the asks that are open");
  });
}

Result<store::NodeRecord> LiveRun::enter(int proposal, Judged judged,
                                         std::optional<FullProfile> full) {
  KP_TRY(auto node, insert_node(proposal, std::move(judged), std::move(full)));
  // The first time all that went before, which a killed process may not have passed on.
  KP_TRY_VOID(pass_on(*this, passed_on_).within("pass on what was learned"));
  passed_on_ = node.id;
  return node;
}

Result<store::NodeRecord> LiveRun::insert_node(int proposal, Judged judged,
                                               std::optional<FullProfile> full) {
  return change([&]() -> Result<store::NodeRecord> {
    if (!history_.pending().contains(proposal)) {
      return fail(ErrorCode::kBusy, fmt::format("proposal {} was judged already", proposal),
                  "another process was faster; nothing is lost");
    }
    KP_TRY(const auto proposed, store_.proposal(proposal));
    store::NodeRecord node;
    node.id = nodes();
    node.proposal = proposal;
    node.candidate = proposed.candidate;
    if (proposed.ask) node.parent = history_.open().at(*proposed.ask).ask.node;
    node.evaluation = std::move(judged.evaluation);
    node.diagnosis = std::move(judged.diagnosis);
    if (const Measured* measured = node.evaluation->measured()) {
      node.speedup = history_.speedup_of(*measured);
    }
    KP_TRY_VOID(write(node));
    if (full) KP_TRY_VOID(write(record_of(node.id, *std::move(full))));
    if (proposed.ask) KP_TRY_VOID(close_if_done(*proposed.ask));
    return node;
  });
}

Result<void> LiveRun::close_if_done(int ask) {
  if (!history_.open().at(ask).pending.empty()) return {};
  return write(store::CloseRecord{ask, false});
}

Result<void> LiveRun::enter(int node, FullProfile full) {
  return append(record_of(node, std::move(full)));
}

}  // namespace kp::loop

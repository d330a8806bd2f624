// SPDX-License-Identifier: Apache-2.0
#include "loop/session.h"

#include <utility>

#include "loop/track_record.h"
#include "task/task.h"

namespace kp::loop {
namespace {

/// A candidate whose plan cannot be read is a bad candidate, not a failing world.
Result<Judged> judge_proposal(const Rooms& rooms, const store::ProposalRecord& proposal,
                              const diagnose::TrackRecord& record) {
  const std::string file = "candidate-" + std::to_string(proposal.id) + ".cu";
  auto candidate = task::make_candidate(rooms.harness.task(), proposal.source, file, proposal.tune);
  if (candidate) {
    return judge_candidate(rooms.harness, rooms.device, *candidate, Depth::kQuick, record);
  }
  const Error& error = candidate.error();
  return Judged{Evaluation{BuildFailed{error.text(), error.spot},
                           Depth::kQuick,
                           rooms.device.describe().name,
                           0,
                           {}},
                std::nullopt};
}

/// Before anything is stored or judged: a name that is not known would only show at the root.
Result<void> check_strategy(const Settings& settings) {
  KP_TRY(const auto known, search::make_strategy(settings.search, search::Trial{}));
  return {};
}

/// With every tune choice spelled out, so that the default is known when it is proposed again.
std::string identity(const Task& task, const store::ProposalRecord& proposal) {
  const auto candidate = task::make_candidate(task, proposal.source, "candidate.cu", proposal.tune);
  if (candidate) return candidate->id();
  Candidate unreadable;
  unreadable.source = proposal.source;
  unreadable.tune = proposal.tune;
  return unreadable.id();
}

}  // namespace

Session::Session(const Settings& settings, Rooms rooms, store::RunStore store)
    : settings_(settings),
      rooms_(rooms),
      store_(std::move(store)),
      rules_(search::make_stop_rules(settings.stop)) {}

Result<Session> Session::start(const Settings& settings, Rooms rooms, const Path& folder) {
  KP_TRY(const auto meta, to_meta(settings, rooms.harness.task()));
  KP_TRY_VOID(check_strategy(settings));
  KP_TRY(auto store, store::RunStore::create(folder, meta));
  Session session(settings, rooms, std::move(store));
  KP_TRY_VOID(session.plant());
  return session;
}

Result<void> Session::plant() {
  const auto& baseline = rooms_.harness.task().baseline;
  if (!baseline) {
    const store::NodeRecord root;
    KP_TRY_VOID(store_.append(root));
    enter(root, nullptr);
    return {};
  }
  store::ProposalRecord proposal;
  proposal.source = *baseline;
  proposal.idea = "the baseline";
  KP_TRY_VOID(store_.append(proposal));
  KP_TRY_VOID(judge(proposal));
  const Evaluation& evaluation = *family_.at(0).evaluation;
  if (evaluation.measured()) return {};
  return fail(ErrorCode::kInvalidInput, "the task's baseline does not work: " + summary(evaluation),
              "correct it first; `kernelpro check` and `kernelpro eval` show more");
}

Result<void> Session::step() {
  const auto ask = strategy_->ask();
  if (!ask) {
    exhausted_ = true;
    return {};
  }
  open_ = Open{*ask, {}, 0};
  KP_TRY_VOID(store_.append(
      store::AskRecord{asks_++, ask->node, std::string(name_of(ask->role)), ask->why}));
  KP_TRY(open_->proposals, write_proposals(*ask));
  return finish_open_ask();
}

Result<void> Session::finish_open_ask() {
  while (open_->judged < open_->proposals.size()) {
    KP_TRY_VOID(judge(open_->proposals[open_->judged]));
  }
  return close(open_->proposals.empty());
}

/// A node that is to be improved is worth all metrics; its first profile on hardware has few.
Result<void> Session::look_into(int node) {
  const Member& member = family_.at(node);
  const bool measured = member.candidate && member.evaluation && member.evaluation->measured();
  if (member.looked_into || !measured || !rooms_.device.hardware()) return {};
  KP_TRY(auto profile, rooms_.harness.profile_fully(*member.candidate));
  std::optional<Diagnosis> diagnosis;
  if (profile) {
    KP_TRY(const auto ledger, store_.ledger());
    KP_TRY(diagnosis,
           diagnose_profile(rooms_.harness.task(), rooms_.device, *profile, track_record(ledger)));
  }
  if (!diagnosis) {
    family_.look_into(node, std::nullopt);
    return {};
  }
  KP_TRY_VOID(store_.append(store::ProfileRecord{node, *profile, *diagnosis}));
  family_.look_into(node, std::pair{*std::move(profile), *std::move(diagnosis)});
  return {};
}

Result<std::vector<store::ProposalRecord>> Session::write_proposals(const search::Ask& ask) {
  KP_TRY_VOID(look_into(ask.node));
  const Member& parent = family_.at(ask.node);
  propose::Request request{rooms_.harness.task()};
  request.role = ask.role;
  request.parent = parent.candidate ? &*parent.candidate : nullptr;
  request.evaluation = parent.evaluation ? &*parent.evaluation : nullptr;
  request.diagnosis = parent.diagnosis ? &*parent.diagnosis : nullptr;
  request.attempts = parent.attempts;
  request.known = family_.known();
  request.most = settings_.candidates_per_ask;
  request.seed = settings_.seed;
  KP_TRY(auto proposals, rooms_.proposer.propose(request));
  std::vector<store::ProposalRecord> records;
  for (propose::Proposal& p : proposals) {
    records.push_back({++proposals_, asks_ - 1, std::move(p.source), std::move(p.tune),
                       std::move(p.idea), std::move(p.tool), std::move(p.action), p.predicted});
    KP_TRY_VOID(store_.append(records.back()));
  }
  return records;
}

Result<void> Session::judge(const store::ProposalRecord& proposal) {
  store::NodeRecord node;
  node.id = static_cast<int>(family_.size());
  if (open_) node.parent = open_->ask.node;
  node.proposal = proposal.id;
  node.candidate = identity(rooms_.harness.task(), proposal);
  if (rooms_.watcher) rooms_.watcher->trying(node.id, proposal);
  KP_TRY(const auto ledger, store_.ledger());
  KP_TRY(auto judged, judge_proposal(rooms_, proposal, track_record(ledger)));
  node.evaluation = std::move(judged.evaluation);
  node.diagnosis = std::move(judged.diagnosis);
  if (const Measured* measured = node.evaluation->measured()) {
    node.speedup = family_.speedup_of(*measured);
  }
  KP_TRY_VOID(store_.append(node));
  enter(node, &proposal);
  if (rooms_.watcher) rooms_.watcher->judged(node, proposal);
  return {};
}

void Session::enter(const store::NodeRecord& node, const store::ProposalRecord* proposal) {
  Member member{std::nullopt, "", node.evaluation, node.diagnosis, {}};
  propose::Attempt attempt{node.candidate, "", {}};
  if (proposal) {
    member.source = proposal->source;
    const std::string file = "candidate-" + std::to_string(proposal->id) + ".cu";
    auto candidate =
        task::make_candidate(rooms_.harness.task(), proposal->source, file, proposal->tune);
    if (candidate) member.candidate = *std::move(candidate);
    attempt.action = proposal->action;
    attempt.tune = proposal->tune;
  }
  const search::Trial trial = family_.judge(member);
  const int best = strategy_ ? tree().best() : -1;
  if (strategy_) {
    strategy_->tell(open_->ask, trial);
    ++open_->judged;
  } else {
    search::StrategyOptions options;
    options.seed = settings_.seed;
    strategy_ = *search::make_strategy(settings_.search, trial, options);
  }
  family_.add(node.parent.value_or(-1), std::move(member), std::move(attempt));
  if (tree().best() != best) last_gain_ = family_.evaluations();
}

Result<void> Session::close(bool exhausted) {
  KP_TRY_VOID(store_.append(store::CloseRecord{asks_ - 1, exhausted}));
  strategy_->close(open_->ask, exhausted);
  open_.reset();
  return {};
}

}  // namespace kp::loop

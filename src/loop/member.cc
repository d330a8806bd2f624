// SPDX-License-Identifier: Apache-2.0
#include "loop/member.h"

#include "task/task.h"

namespace kp::loop {

Result<Member> read_member(store::RunStore& store, const Task& task, int node) {
  KP_TRY(auto record, store.node(node));
  Member member{std::nullopt, std::move(record.evaluation), std::move(record.diagnosis)};
  if (!record.proposal) return member;
  KP_TRY(const auto proposal, store.proposal(*record.proposal));
  if (auto candidate = candidate_of(task, proposal)) member.candidate = *std::move(candidate);
  return member;
}

Result<Candidate> candidate_of(const Task& task, const store::ProposalRecord& proposal) {
  const std::string file = "candidate-" + std::to_string(proposal.id) + ".cu";
  return task::make_candidate(task, proposal.source, file, proposal.tune);
}

std::string identity(const Task& task, const store::ProposalRecord& proposal) {
  if (const auto candidate = candidate_of(task, proposal)) return candidate->id();
  Candidate unreadable;
  unreadable.source = proposal.source;
  unreadable.tune = proposal.tune;
  return unreadable.id();
}

}  // namespace kp::loop

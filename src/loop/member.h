// SPDX-License-Identifier: Apache-2.0
// A node with all that is known of it, read from the store when it is needed.
#pragma once
#include <optional>
#include <string>

#include "model/evaluation.h"
#include "model/finding.h"
#include "model/task.h"
#include "store/run_store.h"

namespace kp::loop {

struct Member {
  std::optional<Candidate> candidate;    // absent: virtual root, or a plan that could not be read
  std::optional<Evaluation> evaluation;  // absent: virtual root
  std::optional<Diagnosis> diagnosis;    // of a measured one
};

Result<Member> read_member(store::RunStore& store, const Task& task, int node);

/// The candidate that a proposal stands for; the error says what is wrong with its plan.
Result<Candidate> candidate_of(const Task& task, const store::ProposalRecord& proposal);
/// Its content address, with every tune choice spelled out, so that the default is known when it is
/// proposed again.
std::string identity(const Task& task, const store::ProposalRecord& proposal);

}  // namespace kp::loop

// SPDX-License-Identifier: Apache-2.0
// From what a model, a program or a person sends to proposals. What is quoted in a reply is only
// ever text: nothing in it is carried out.
//
// Accepted: code in fences of any tag or in none, with prose around; several candidates; several
// files that include each other by name; the plan in a block of its own, or left out where the
// parent's still fits; a unified diff of the parent; code in JSON. Lines `idea: ...` and
// `follows: ACTION` describe the candidate behind them.
#pragma once
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "propose/proposer.h"

namespace kp::propose {

/// Why a reply cannot be used: one sentence that its writer can act upon.
struct Fault {
  std::string sentence;
};

/// What a reply is read against.
struct ReplyTo {
  const Task& task;
  const Candidate* parent = nullptr;     // null: there is none to patch
  const Diagnosis* diagnosis = nullptr;  // whose actions a reply may name; null: none
  int most = 1;                          // proposals
};

/// At least one proposal, each with a plan that fits the task, or what is wrong.
using ParsedReply = std::variant<std::vector<Proposal>, Fault>;
ParsedReply parse_reply(std::string_view text, const ReplyTo& to);

}  // namespace kp::propose

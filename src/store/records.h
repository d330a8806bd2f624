// SPDX-License-Identifier: Apache-2.0
// What a run's history is made of. Records are whole; summaries leave the long texts out.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/evaluation.h"
#include "model/finding.h"
#include "model/task.h"

namespace kp::store {

/// What a run was started with; strings, so that older and newer programs can read each other's
/// runs.
using Meta = std::map<std::string, std::string>;

struct AskRecord {
  int id = 0, node = 0;
  std::string role, why;
  bool volunteered = false;  // somebody chose the node; the search was not asked
};
struct ProposalRecord {
  int id = 0;
  std::optional<int> ask;  // absent: the baseline
  std::string source;
  Bindings tune;
  std::string idea, tool, action;
  Gain predicted;
  std::vector<std::string> sources;  // files of code search that were read for it
  std::string candidate;             // content address of source and tune choice
};
struct NodeRecord {
  int id = 0;
  std::optional<int> parent, proposal;
  std::string candidate;
  std::optional<Evaluation> evaluation;  // absent: virtual root
  std::optional<double> speedup;
  std::optional<Diagnosis> diagnosis;
};
struct CloseRecord {
  int ask = 0;
  bool exhausted = false;
};
/// What the proposer says to readers of the run while it answers an ask.
struct NoteRecord {
  int ask = 0;
  std::string text;
};
/// What was learned later of a node that was chosen to be improved; the newest of a node counts.
struct ProfileRecord {
  int node = 0;
  Profile profile;
  Diagnosis diagnosis;
};
struct FinalRecord {
  int node = 0;
  Evaluation evaluation;
};
struct EndingRecord {
  std::string rule, sentence;
};
using Record = std::variant<AskRecord, ProposalRecord, NodeRecord, CloseRecord, NoteRecord,
                            ProfileRecord, FinalRecord, EndingRecord>;

/// What a model used for an ask; no event, for the search never hears of it.
struct SpendingRecord {
  int ask = 0;
  std::string proposer;
  std::int64_t calls = 0, tokens = 0;
  std::optional<double> dollars;  // absent: nobody knows
  bool estimated = false;         // the server did not count tokens
};

/// Puts what was learned later in place of what the node knew.
void learn(NodeRecord& node, const ProfileRecord& later);

struct ProposalSummary {
  int id = 0;
  std::optional<int> ask;
  std::string candidate;
};
struct NodeSummary {
  int id = 0;
  std::optional<int> parent, proposal;
  std::string candidate, outcome;  // "measured", "wrong answer", ... or "virtual"
  std::optional<double> ns, speedup;
  bool at_roof = false;
};
struct ProfileSummary {
  int node = 0;
  bool at_roof = false;
};
/// What the search needs to hear again of one event.
using Summary = std::variant<AskRecord, ProposalSummary, NodeSummary, CloseRecord, ProfileSummary>;
struct Event {
  std::int64_t number = 0;  // rises, with gaps
  Summary what;
};

/// Something that was tried at a node, and what it brought.
struct TrialLine {
  std::string candidate, action;
  Bindings tune;
  std::string idea, summary;
  std::optional<double> gain;  // over the node, when both were measured
};

struct LedgerLine {
  int node = 0, parent = 0;
  std::string tool, action, outcome;
  Gain predicted;
  std::optional<double> gain;  // of the child over the parent, when both were measured
};

}  // namespace kp::store

// SPDX-License-Identifier: Apache-2.0
// The history in one joined query over the small tables: a run of 10,000 nodes is repeated
// each time somebody asks for the next prompt.
#include "store/rows.h"

namespace kp::store {
namespace {

constexpr std::string_view kQuery = R"(
  SELECT event.seq, event.kind, event.ref,
         ask.node, ask.role, ask.why, ask.volunteered,
         proposal.ask, proposal.candidate,
         node.parent, node.proposal, node.candidate, node.outcome, node.ns, node.speedup,
         node.at_roof,
         close.exhausted,
         profile.node, profile.at_roof
  FROM event
  LEFT JOIN ask      ON event.kind = 'ask'      AND ask.id = event.ref
  LEFT JOIN proposal ON event.kind = 'proposal' AND proposal.id = event.ref
  LEFT JOIN node     ON event.kind = 'node'     AND node.id = event.ref
  LEFT JOIN close    ON event.kind = 'close'    AND close.id = event.ref
  LEFT JOIN profile  ON event.kind = 'profile'  AND profile.id = event.ref
  WHERE event.seq > ? AND event.kind NOT IN ('note', 'final', 'ending')
  ORDER BY event.seq)";

/// Where the columns of each table begin in the query.
enum Column : int { kAsk = 3, kProposal = 7, kNode = 9, kClose = 16, kProfile = 17 };

std::optional<double> real_or_null(const Statement& row, int column) {
  if (row.null(column)) return std::nullopt;
  return row.real(column);
}

Result<Summary> ask_of(const Statement& row, int id) {
  return AskRecord{id, static_cast<int>(row.integer(kAsk)), row.text(kAsk + 1), row.text(kAsk + 2),
                   row.integer(kAsk + 3) != 0};
}

Result<Summary> proposal_of(const Statement& row, int id) {
  return ProposalSummary{id, integer_or_null(row, kProposal), row.text(kProposal + 1)};
}

Result<Summary> node_of(const Statement& row, int id) {
  return NodeSummary{id,
                     integer_or_null(row, kNode),
                     integer_or_null(row, kNode + 1),
                     row.text(kNode + 2),
                     row.text(kNode + 3),
                     real_or_null(row, kNode + 4),
                     real_or_null(row, kNode + 5),
                     row.integer(kNode + 6) != 0};
}

Result<Summary> close_of(const Statement& row, int id) {
  return CloseRecord{id, row.integer(kClose) != 0};
}

Result<Summary> profile_of(const Statement& row, int) {
  return ProfileSummary{static_cast<int>(row.integer(kProfile)), row.integer(kProfile + 1) != 0};
}

struct Kind {
  std::string_view name;
  int presence;  // a column that is never null where the row is there
  Result<Summary> (*read)(const Statement&, int id);
};
constexpr Kind kKinds[] = {{"ask", kAsk, ask_of},
                           {"proposal", kProposal + 1, proposal_of},
                           {"node", kNode + 2, node_of},
                           {"close", kClose, close_of},
                           {"profile", kProfile, profile_of}};

Result<Summary> summary_of(const Statement& row) {
  const std::string name = row.text(1);
  for (const Kind& kind : kKinds) {
    if (kind.name == name && !row.null(kind.presence)) {
      return kind.read(row, static_cast<int>(row.integer(2)));
    }
  }
  return missing_row(name, row.integer(2));
}

}  // namespace

Result<std::vector<Event>> read_events(Sqlite& database, std::int64_t after) {
  std::vector<Event> events;
  KP_TRY(auto row, database.prepare(kQuery));
  row.bind(after);
  while (true) {
    KP_TRY(const bool more, row.step());
    if (!more) return events;
    KP_TRY(auto summary, summary_of(row));
    events.push_back({row.integer(0), std::move(summary)});
  }
}

}  // namespace kp::store

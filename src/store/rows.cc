// SPDX-License-Identifier: Apache-2.0
#include "store/rows.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "model/json.h"
#include "store/experiences.h"

namespace kp::store {
namespace {

using Json = nlohmann::json;

std::optional<std::int64_t> wide(const std::optional<int>& value) {
  if (!value) return std::nullopt;
  return *value;
}

template <class T>
std::optional<std::string> dump(const std::optional<T>& value) {
  if (!value) return std::nullopt;
  return to_json(*value).dump();
}

std::optional<std::string_view> view(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  return std::string_view(*text);
}

Result<void> add_event(Sqlite& database, std::string_view kind, std::int64_t ref) {
  KP_TRY(auto event, database.prepare("INSERT INTO event (kind, ref) VALUES (?, ?)"));
  return event.bind(kind).bind(ref).run();
}

/// One overload for each kind of record.
struct Inserter {
  Sqlite& database;

  Result<void> operator()(const AskRecord& ask) const {
    KP_TRY(auto row, database.prepare("INSERT INTO ask VALUES (?, ?, ?, ?, ?)"));
    row.bind(std::int64_t{ask.id})
        .bind(std::int64_t{ask.node})
        .bind(std::string_view(ask.role))
        .bind(std::string_view(ask.why))
        .bind(std::int64_t{ask.volunteered});
    KP_TRY_VOID(row.run());
    return add_event(database, "ask", ask.id);
  }

  Result<void> operator()(const ProposalRecord& proposal) const {
    KP_TRY(auto row,
           database.prepare("INSERT INTO proposal VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
    row.bind(std::int64_t{proposal.id}).bind(wide(proposal.ask));
    row.bind(std::string_view(proposal.candidate)).bind(std::string_view(proposal.action));
    row.bind(std::string_view(Json(proposal.tune).dump())).bind(std::string_view(proposal.tool));
    row.bind(std::string_view(proposal.idea));
    row.bind(proposal.predicted.low).bind(proposal.predicted.high);
    row.bind(std::string_view(Json(proposal.sources).dump()));
    KP_TRY_VOID(row.run());
    KP_TRY(auto source, database.prepare("INSERT INTO source VALUES (?, ?)"));
    source.bind(std::int64_t{proposal.id}).bind(std::string_view(proposal.source));
    KP_TRY_VOID(source.run());
    return add_event(database, "proposal", proposal.id);
  }

  Result<void> operator()(const NodeRecord& node) const {
    const auto evaluation = dump(node.evaluation);
    const auto diagnosis = dump(node.diagnosis);
    const Measured* measured = node.evaluation ? node.evaluation->measured() : nullptr;
    std::optional<double> ns;
    std::optional<std::string_view> grade;
    if (measured) {
      ns = measured->nanoseconds;
      grade = name_of(measured->grade);
    }
    KP_TRY(auto row, database.prepare("INSERT INTO node VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
    row.bind(std::int64_t{node.id}).bind(wide(node.parent)).bind(wide(node.proposal));
    row.bind(std::string_view(node.candidate));
    row.bind(node.evaluation ? name_of(node.evaluation->outcome) : std::string_view("virtual"));
    row.bind(ns).bind(grade).bind(node.speedup);
    row.bind(std::int64_t{node.diagnosis && node.diagnosis->at_roof});
    row.bind(std::string_view(node.evaluation ? summary(*node.evaluation) : "virtual root"));
    KP_TRY_VOID(row.run());
    KP_TRY(auto verdict, database.prepare("INSERT INTO verdict VALUES (?, ?, ?)"));
    verdict.bind(std::int64_t{node.id}).bind(view(evaluation)).bind(view(diagnosis));
    KP_TRY_VOID(verdict.run());
    KP_TRY_VOID(insert_experience(database, node));
    return add_event(database, "node", node.id);
  }

  Result<void> operator()(const CloseRecord& close) const {
    KP_TRY(auto row, database.prepare("INSERT INTO close VALUES (?, ?)"));
    KP_TRY_VOID(row.bind(std::int64_t{close.ask}).bind(std::int64_t{close.exhausted}).run());
    return add_event(database, "close", close.ask);
  }

  Result<void> operator()(const NoteRecord& note) const {
    KP_TRY(auto row, database.prepare("INSERT INTO note (ask, text) VALUES (?, ?)"));
    row.bind(std::int64_t{note.ask}).bind(std::string_view(note.text));
    KP_TRY_VOID(row.run());
    return add_event(database, "note", database.last_row());
  }

  Result<void> operator()(const ProfileRecord& later) const {
    KP_TRY(auto row, database.prepare("INSERT INTO profile (node, at_roof, profile, diagnosis) "
                                      "VALUES (?, ?, ?, ?)"));
    row.bind(std::int64_t{later.node}).bind(std::int64_t{later.diagnosis.at_roof});
    row.bind(std::string_view(to_json(later.profile).dump()));
    row.bind(std::string_view(to_json(later.diagnosis).dump()));
    KP_TRY_VOID(row.run());
    return add_event(database, "profile", database.last_row());
  }

  Result<void> operator()(const FinalRecord& final) const {
    KP_TRY(auto row, database.prepare("INSERT INTO final (node, evaluation) VALUES (?, ?)"));
    row.bind(std::int64_t{final.node});
    KP_TRY_VOID(row.bind(std::string_view(to_json(final.evaluation).dump())).run());
    return add_event(database, "final", database.last_row());
  }

  Result<void> operator()(const EndingRecord& ending) const {
    KP_TRY(auto row, database.prepare("INSERT INTO ending (rule, sentence) VALUES (?, ?)"));
    row.bind(std::string_view(ending.rule)).bind(std::string_view(ending.sentence));
    KP_TRY_VOID(row.run());
    return add_event(database, "ending", database.last_row());
  }
};

Result<Evaluation> evaluation_from(const std::string& text) {
  KP_TRY(const Json parsed, parse_json(text));
  return evaluation_from_json(parsed);
}

Result<Record> read_ask(const Statement& row) {
  return AskRecord{static_cast<int>(row.integer(0)), static_cast<int>(row.integer(1)), row.text(2),
                   row.text(3), row.integer(4) != 0};
}

Result<Record> read_proposal(const Statement& row) {
  ProposalRecord proposal;
  proposal.id = static_cast<int>(row.integer(0));
  proposal.ask = integer_or_null(row, 1);
  proposal.candidate = row.text(2);
  proposal.action = row.text(3);
  KP_TRY(proposal.tune, bindings_from(row.text(4)));
  proposal.tool = row.text(5);
  proposal.idea = row.text(6);
  proposal.predicted = {row.real(7), row.real(8)};
  KP_TRY(proposal.sources, names_from(row.text(9)));
  proposal.source = row.text(10);
  return proposal;
}

Result<Record> read_node(const Statement& row) {
  NodeRecord node;
  node.id = static_cast<int>(row.integer(0));
  node.parent = integer_or_null(row, 1);
  node.proposal = integer_or_null(row, 2);
  node.candidate = row.text(3);
  if (!row.null(7)) node.speedup = row.real(7);
  if (!row.null(10)) {
    KP_TRY(node.evaluation, evaluation_from(row.text(10)));
  }
  if (!row.null(11)) {
    KP_TRY(const Json parsed, parse_json(row.text(11)));
    KP_TRY(node.diagnosis, diagnosis_from_json(parsed));
  }
  return node;
}

Result<Record> read_close(const Statement& row) {
  return CloseRecord{static_cast<int>(row.integer(0)), row.integer(1) != 0};
}

Result<Record> read_note(const Statement& row) {
  return NoteRecord{static_cast<int>(row.integer(1)), row.text(2)};
}

Result<Record> read_profile(const Statement& row) {
  ProfileRecord later{static_cast<int>(row.integer(1)), {}, {}};
  KP_TRY(const Json profile, parse_json(row.text(3)));
  KP_TRY(later.profile, profile_from_json(profile));
  KP_TRY(const Json diagnosis, parse_json(row.text(4)));
  KP_TRY(later.diagnosis, diagnosis_from_json(diagnosis));
  return later;
}

Result<Record> read_final(const Statement& row) {
  KP_TRY(auto evaluation, evaluation_from(row.text(2)));
  return FinalRecord{static_cast<int>(row.integer(1)), std::move(evaluation)};
}

Result<Record> read_ending(const Statement& row) { return EndingRecord{row.text(1), row.text(2)}; }

struct RecordKind {
  std::string_view name, rows;
  Result<Record> (*read)(const Statement&);
};
constexpr RecordKind kRecordKinds[] = {
    {"ask", "ask", read_ask},
    {"proposal", "proposal JOIN source USING (id)", read_proposal},
    {"node", "node JOIN verdict USING (id)", read_node},
    {"close", "close", read_close},
    {"note", "note", read_note},
    {"profile", "profile", read_profile},
    {"final", "final", read_final},
    {"ending", "ending", read_ending}};

}  // namespace

std::optional<int> integer_or_null(const Statement& row, int column) {
  if (row.null(column)) return std::nullopt;
  return static_cast<int>(row.integer(column));
}

Result<Bindings> bindings_from(const std::string& text) {
  Bindings bindings;
  if (text == "{}") return bindings;
  KP_TRY(const Json parsed, parse_json(text));
  if (!parsed.is_object()) return fail(ErrorCode::kCorrupt, "tune values are no object");
  for (const auto& [name, value] : parsed.items()) {
    if (!value.is_number_integer()) {
      return fail(ErrorCode::kCorrupt, fmt::format("tune value of {} is no integer", name));
    }
    bindings[name] = value.get<std::int64_t>();
  }
  return bindings;
}

tl::unexpected<Error> missing_row(std::string_view kind, std::int64_t ref) {
  return fail(ErrorCode::kCorrupt,
              fmt::format("run.db: event refers to a missing {} {}", kind, ref),
              "the file is damaged; start a new run, or restore it from a copy");
}

Result<void> insert(Sqlite& database, const Record& record) {
  return std::visit(Inserter{database}, record);
}

Result<Record> fetch(Sqlite& database, const std::string& kind, std::int64_t ref) {
  for (const RecordKind& known : kRecordKinds) {
    if (known.name != kind) continue;
    KP_TRY(auto row, database.prepare(fmt::format("SELECT * FROM {} WHERE id = ?", known.rows)));
    KP_TRY(const bool found, row.bind(ref).step());
    if (!found) break;
    return known.read(row).within(fmt::format("{} {}", kind, ref));
  }
  return missing_row(kind, ref);
}

}  // namespace kp::store

// SPDX-License-Identifier: Apache-2.0
#include "store/run_store.h"

#include <fmt/format.h>

#include "assets/store_schema.h"
#include "store/experiences.h"
#include "store/rows.h"

namespace kp::store {
namespace {

constexpr std::string_view kSchemaVersion = "4";

Result<void> write_meta(Sqlite& database, const Meta& meta) {
  for (const auto& [key, value] : meta) {
    KP_TRY(auto statement, database.prepare("INSERT OR IGNORE INTO meta VALUES (?, ?)"));
    KP_TRY_VOID(statement.bind(std::string_view(key)).bind(std::string_view(value)).run());
  }
  return {};
}

/// By it memory that runs share knows a run, wherever its folder is carried.
constexpr const char* kNewIdentity =
    "INSERT INTO meta VALUES ('run_id', lower(hex(randomblob(12))))";

Result<void> write_new(const Path& file, const Meta& meta) {
  KP_TRY(auto database, Sqlite::open(file, Sqlite::Access::kWrite));
  KP_TRY_VOID(database.execute("PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL"));
  KP_TRY(auto transaction, Transaction::begin(database));
  KP_TRY_VOID(database.execute(std::string(assets::store_schema)));
  Meta all = meta;
  all.emplace("schema", kSchemaVersion);
  KP_TRY_VOID(write_meta(database, all));
  KP_TRY_VOID(database.execute(kNewIdentity));
  KP_TRY_VOID(transaction.commit());
  return ensure_experiences(database);
}

/// run.db appears complete or not at all: a process may be killed while it is written.
Result<void> found_run(const Path& folder, const Meta& meta) {
  const Path unfinished = folder / "run.db.new";
  std::error_code error;
  for (const char* rest : {"", "-journal"}) {
    std::filesystem::remove(unfinished.string() + rest, error);
  }
  KP_TRY_VOID(write_new(unfinished, meta));
  std::filesystem::rename(unfinished, folder / "run.db", error);
  if (!error) return {};
  return fail(
      ErrorCode::kIo,
      fmt::format("{} cannot be renamed to run.db: {}", unfinished.string(), error.message()),
      "check that the folder can be written, or choose another --out");
}

Result<void> check_presence(const Path& folder) {
  if (std::filesystem::exists(folder / "run.db")) return {};
  return fail(ErrorCode::kNotFound, fmt::format("there is no run in {}", folder.string()),
              "give the folder that `kernelpro optimize` printed; it holds run.db");
}

Result<void> check_version(RunStore& store) {
  KP_TRY(const Meta meta, store.meta());
  const auto found = meta.find("schema");
  if (found == meta.end()) {
    return fail(ErrorCode::kCorrupt, "run.db holds no schema version",
                "the run was not written to its first commit; start a new one");
  }
  if (found->second != kSchemaVersion) {
    return fail(
        ErrorCode::kUnsupported,
        fmt::format("run.db has schema {}, this program reads {}", found->second, kSchemaVersion),
        "use the version of KernelPro that wrote the run");
  }
  return {};
}

}  // namespace

void learn(NodeRecord& node, const ProfileRecord& later) {
  Measured* measured = node.evaluation ? std::get_if<Measured>(&node.evaluation->outcome) : nullptr;
  if (!measured) return;
  measured->profile = later.profile;
  node.diagnosis = later.diagnosis;
}

Result<RunStore> RunStore::create(const Path& folder, const Meta& meta) {
  KP_TRY_VOID(make_folder(folder));
  KP_TRY(auto lease, Lease::take(folder));
  if (std::filesystem::exists(folder / "run.db")) {
    return fail(
        ErrorCode::kInvalidInput, fmt::format("{} holds a run already", folder.string()),
        fmt::format("go on with `kernelpro resume {}`, or choose another --out", folder.string()));
  }
  KP_TRY_VOID(found_run(folder, meta));
  KP_TRY(auto database, Sqlite::open(folder / "run.db", Sqlite::Access::kWrite));
  return RunStore(folder, std::move(database), std::move(lease));
}

Result<RunStore> RunStore::open(const Path& folder, Sqlite::Access access) {
  std::optional<Lease> lease;
  if (access == Sqlite::Access::kWrite) {
    KP_TRY_VOID(check_presence(folder));
    KP_TRY(lease, Lease::take(folder));
  }
  return open(folder, access, std::move(lease));
}

Result<RunStore> RunStore::share(const Path& folder) {
  KP_TRY_VOID(check_presence(folder));
  KP_TRY(auto lease, Lease::share(folder));
  return open(folder, Sqlite::Access::kWrite, std::move(lease));
}

Result<RunStore> RunStore::open(const Path& folder, Sqlite::Access access,
                                std::optional<Lease> lease) {
  KP_TRY_VOID(check_presence(folder));
  KP_TRY(auto database,
         Sqlite::open(folder / "run.db", access).within((folder / "run.db").string()));
  RunStore store(folder, std::move(database), std::move(lease));
  KP_TRY_VOID(check_version(store).within((folder / "run.db").string()));
  if (access == Sqlite::Access::kWrite) KP_TRY_VOID(ensure_experiences(store.database_));
  return store;
}

Result<Meta> RunStore::meta() {
  Meta meta;
  KP_TRY(auto statement, database_.prepare("SELECT key, value FROM meta"));
  while (true) {
    KP_TRY(const bool row, statement.step());
    if (!row) return meta;
    meta[statement.text(0)] = statement.text(1);
  }
}

Result<void> RunStore::remember(const Meta& meta) {
  KP_TRY(auto change, this->change());
  KP_TRY_VOID(write_meta(database_, meta));
  return change.commit();
}

Result<void> RunStore::insert(const Record& record) { return store::insert(database_, record); }

Result<void> RunStore::append(const Record& record) {
  KP_TRY(auto change, this->change());
  KP_TRY_VOID(insert(record));
  return change.commit();
}

Result<std::vector<Event>> RunStore::events(std::int64_t after) {
  return read_events(database_, after);
}

Result<ProposalRecord> RunStore::proposal(int id) {
  KP_TRY(auto record, fetch(database_, "proposal", id));
  return std::get<ProposalRecord>(std::move(record));
}

Result<NodeRecord> RunStore::node(int id) {
  KP_TRY(auto record, fetch(database_, "node", id));
  auto node = std::get<NodeRecord>(std::move(record));
  KP_TRY(auto newest, database_.prepare("SELECT max(id) FROM profile WHERE node = ?"));
  KP_TRY_VOID(newest.bind(std::int64_t{id}).run());
  if (newest.null(0)) return node;
  KP_TRY(const auto later, fetch(database_, "profile", newest.integer(0)));
  learn(node, std::get<ProfileRecord>(later));
  return node;
}

Result<std::vector<Record>> RunStore::history() {
  std::vector<Record> records;
  KP_TRY(auto events, database_.prepare("SELECT kind, ref FROM event ORDER BY seq"));
  while (true) {
    KP_TRY(const bool row, events.step());
    if (!row) return records;
    KP_TRY(auto record, fetch(database_, events.text(0), events.integer(1)));
    records.push_back(std::move(record));
  }
}

Result<std::vector<TrialLine>> RunStore::tried_at(int node) {
  std::vector<TrialLine> lines;
  KP_TRY(auto rows, database_.prepare(
                        "SELECT proposal.candidate, proposal.action, proposal.tune, proposal.idea, "
                        "node.summary, step.gain FROM node JOIN step ON step.node = node.id "
                        "JOIN proposal ON proposal.id = node.proposal "
                        "WHERE node.parent = ? ORDER BY node.id"));
  rows.bind(std::int64_t{node});
  while (true) {
    KP_TRY(const bool row, rows.step());
    if (!row) return lines;
    KP_TRY(auto tune, bindings_from(rows.text(2)));
    lines.push_back({rows.text(0), rows.text(1), std::move(tune), rows.text(3), rows.text(4), {}});
    if (!rows.null(5)) lines.back().gain = rows.real(5);
  }
}

Result<std::vector<Experience>> RunStore::experiences(int after) {
  KP_TRY(auto list, read_experiences(database_, after));
  if (list.empty()) return list;
  KP_TRY(const Meta meta, this->meta());
  const auto value = [&](const char* key, const char* otherwise) {
    const auto found = meta.find(key);
    return found != meta.end() ? found->second : std::string(otherwise);
  };
  const std::string run = value("run_id", ""), task = value("task_name", "");
  const std::string device = value("device", value("wanted_device", "").c_str());
  for (Experience& experience : list) {
    experience.run = run;
    experience.task = task;
    experience.device = device;
  }
  return list;
}

Result<std::optional<Diagnosis>> RunStore::diagnosis_near(int node) {
  return store::diagnosis_near(database_, node);
}

Result<std::vector<LedgerLine>> RunStore::ledger(int after) {
  std::vector<LedgerLine> lines;
  KP_TRY(auto rows, database_.prepare("SELECT node, parent, tool, action, gain_low, gain_high, "
                                      "outcome, gain FROM ledger WHERE node > ? ORDER BY node"));
  rows.bind(std::int64_t{after});
  while (true) {
    KP_TRY(const bool row, rows.step());
    if (!row) return lines;
    LedgerLine line;
    line.node = static_cast<int>(rows.integer(0));
    line.parent = static_cast<int>(rows.integer(1));
    line.tool = rows.text(2);
    line.action = rows.text(3);
    line.predicted = {rows.real(4), rows.real(5)};
    line.outcome = rows.text(6);
    if (!rows.null(7)) line.gain = rows.real(7);
    lines.push_back(std::move(line));
  }
}

}  // namespace kp::store

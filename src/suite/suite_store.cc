// SPDX-License-Identifier: Apache-2.0
#include "suite/suite_store.h"

#include <fmt/format.h>

#include "assets/suite_schema.h"
#include "suite/suite_rows.h"

namespace kp::suite {
namespace {

constexpr std::string_view kSchemaVersion = "1";
constexpr const char* kFile = "suite.db";

Result<void> write_meta(Sqlite& database, std::string_view key, std::string_view value) {
  KP_TRY(auto row, database.prepare("INSERT OR IGNORE INTO meta VALUES (?, ?)"));
  return row.bind(key).bind(value).run();
}

/// suite.db appears complete or not at all: a process may be killed while it is written.
Result<void> found(const Path& folder, const Suite& suite) {
  const Path file = folder / kFile, unfinished = folder / "suite.db.new";
  std::error_code error;
  if (std::filesystem::exists(file, error)) return {};
  for (const char* rest : {"", "-journal"}) {
    std::filesystem::remove(unfinished.string() + rest, error);
  }
  {
    KP_TRY(auto database, Sqlite::open(unfinished, Sqlite::Access::kWrite));
    KP_TRY(auto change, Transaction::begin(database));
    KP_TRY_VOID(database.execute(std::string(assets::suite_schema)));
    KP_TRY_VOID(write_meta(database, "schema", kSchemaVersion));
    KP_TRY_VOID(write_meta(database, "name", suite.name));
    KP_TRY_VOID(write_meta(database, "about", suite.about));
    KP_TRY_VOID(change.commit());
  }
  std::filesystem::rename(unfinished, file, error);
  if (!error) return {};
  return fail(ErrorCode::kIo, fmt::format("{} cannot be made: {}", file.string(), error.message()),
              "check that the folder can be written, or choose another --out");
}

Result<void> check_version(SuiteStore& store) {
  KP_TRY(const std::string version, store.meta("schema"));
  if (version == kSchemaVersion) return {};
  return fail(
      ErrorCode::kUnsupported,
      fmt::format("suite.db has schema '{}', this program reads {}", version, kSchemaVersion),
      "use the version of KernelPro that wrote it");
}

Result<void> check_arm(Sqlite& database, const Arm& arm) {
  KP_TRY(auto row, database.prepare("SELECT settings FROM arm WHERE name = ?"));
  KP_TRY(const bool known, row.bind(std::string_view(arm.name)).step());
  if (known && row.text(0) == settings_text(arm)) return {};
  if (!known) {
    KP_TRY(auto fresh, database.prepare("INSERT INTO arm VALUES (?, ?)"));
    return fresh.bind(std::string_view(arm.name)).bind(std::string_view(settings_text(arm))).run();
  }
  return fail(ErrorCode::kInvalidInput,
              fmt::format("the arm `{}` was begun with other settings: {}", arm.name, row.text(0)),
              "runs of two settings are no sample of either: choose another --out");
}

std::string from_key(const std::string& task) { return "from " + task; }

Result<std::string> read_meta(Sqlite& database, std::string_view key) {
  KP_TRY(auto row, database.prepare("SELECT value FROM meta WHERE key = ?"));
  KP_TRY(const bool known, row.bind(key).step());
  return known ? row.text(0) : std::string();
}

/// A task begins with the same plan in all its runs.
Result<void> check_from(Sqlite& database, const TaskEntry& task) {
  const std::string now = task.from.string();
  KP_TRY(auto row, database.prepare("SELECT count(*) FROM wanted WHERE task = ?"));
  KP_TRY_VOID(row.bind(std::string_view(task.name)).step());
  if (row.integer(0) == 0 && !now.empty()) {
    return write_meta(database, from_key(task.name), now);
  }
  KP_TRY(const std::string then, read_meta(database, from_key(task.name)));
  if (row.integer(0) == 0 || now == then) return {};
  return fail(ErrorCode::kInvalidInput,
              fmt::format("the task `{}` was begun with {}", task.name,
                          then.empty() ? "its own baseline" : then),
              "runs from two beginnings are no sample of either: choose another --out");
}

}  // namespace

std::string to_string(const RunKey& key) {
  const std::string arm = key.arm == kOnlyArm ? "" : key.arm + ": ";
  return fmt::format("{}{}, seed {}", arm, key.task, key.seed);
}

Result<SuiteStore> SuiteStore::open(const Path& folder, const Suite& suite) {
  KP_TRY_VOID(make_folder(folder));
  KP_TRY(auto lease, store::Lease::take(folder));
  KP_TRY_VOID(found(folder, suite));
  KP_TRY(auto store, open(folder, Sqlite::Access::kWrite));
  store.lease_ = std::move(lease);
  KP_TRY_VOID(store.enter(suite).within((folder / kFile).string()));
  return store;
}

Result<SuiteStore> SuiteStore::open(const Path& folder, Sqlite::Access access) {
  const Path file = folder / kFile;
  std::error_code error;
  if (!std::filesystem::exists(file, error)) {
    return fail(ErrorCode::kNotFound,
                fmt::format("there are no results of a suite in {}", folder.string()),
                "give the folder that `kernelpro bench` printed; it holds suite.db");
  }
  KP_TRY(auto database, Sqlite::open(file, access).within(file.string()));
  SuiteStore store(folder, std::move(database), std::nullopt);
  KP_TRY_VOID(check_version(store).within(file.string()));
  return store;
}

Result<void> SuiteStore::enter(const Suite& suite) {
  KP_TRY(auto change, Transaction::begin(database_));
  for (const TaskEntry& task : suite.tasks) KP_TRY_VOID(check_from(database_, task));
  for (const Arm& arm : suite.arms) {
    KP_TRY_VOID(check_arm(database_, arm));
    for (const TaskEntry& task : suite.tasks) {
      for (const std::uint64_t seed : suite.seeds) {
        KP_TRY(auto row, database_.prepare("INSERT OR IGNORE INTO wanted VALUES (?, ?, ?, ?)"));
        row.bind(std::string_view(arm.name)).bind(std::string_view(task.name));
        row.bind(static_cast<std::int64_t>(seed));
        KP_TRY_VOID(row.bind(std::string_view(task.path.string())).run());
      }
    }
  }
  return change.commit();
}

Result<std::vector<WantedRun>> SuiteStore::wanted() {
  std::vector<WantedRun> list;
  KP_TRY(auto row, database_.prepare("SELECT arm, task, seed, path FROM wanted ORDER BY rowid"));
  while (true) {
    KP_TRY(const bool more, row.step());
    if (!more) return list;
    const auto seed = static_cast<std::uint64_t>(row.integer(2));
    KP_TRY(const std::string from, read_meta(database_, from_key(row.text(1))));
    list.push_back({{row.text(0), row.text(1), seed}, row.text(3), from});
  }
}

Result<std::vector<RunResult>> SuiteStore::results() {
  KP_TRY(auto newest, read_results(database_));
  KP_TRY(const auto wanted, this->wanted());
  std::vector<RunResult> list;
  for (const WantedRun& run : wanted) {
    const auto found = newest.find(run.key);
    if (found != newest.end()) list.push_back(std::move(found->second));
  }
  return list;
}

Result<void> SuiteStore::append(const RunResult& result) {
  KP_TRY(auto change, Transaction::begin(database_));
  KP_TRY_VOID(insert(database_, result));
  return change.commit();
}

Result<void> SuiteStore::append_moment(const RunKey& key, int node, double seconds) {
  KP_TRY(auto row, database_.prepare("INSERT INTO moment VALUES (NULL, ?, ?, ?, ?, ?)"));
  row.bind(std::string_view(key.arm)).bind(std::string_view(key.task));
  row.bind(static_cast<std::int64_t>(key.seed)).bind(std::int64_t{node});
  return row.bind(seconds).run();
}

Result<std::vector<std::pair<int, double>>> SuiteStore::moments(const RunKey& key) {
  std::vector<std::pair<int, double>> list;
  KP_TRY(auto row, database_.prepare("SELECT node, seconds FROM moment WHERE arm = ? AND "
                                     "task = ? AND seed = ? ORDER BY id"));
  row.bind(std::string_view(key.arm)).bind(std::string_view(key.task));
  row.bind(static_cast<std::int64_t>(key.seed));
  while (true) {
    KP_TRY(const bool more, row.step());
    if (!more) return list;
    list.emplace_back(static_cast<int>(row.integer(0)), row.real(1));
  }
}

Result<void> SuiteStore::append(const Noise& noise) {
  KP_TRY(auto row, database_.prepare("INSERT INTO noise VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)"));
  row.bind(std::string_view(noise.task)).bind(std::string_view(noise.device));
  row.bind(std::string_view(noise.product)).bind(name_of(noise.grade));
  return row.bind(noise.ratio).bind(noise.low).bind(noise.high).run();
}

Result<std::vector<Noise>> SuiteStore::noise() {
  std::vector<Noise> list;
  KP_TRY(auto row, database_.prepare("SELECT task, device, product, grade, ratio, low, high "
                                     "FROM noise ORDER BY id"));
  while (true) {
    KP_TRY(const bool more, row.step());
    if (!more) return list;
    KP_TRY(const Grade grade, grade_from(row.text(3)));
    list.push_back({row.text(0), row.text(1), row.text(2), grade, row.real(4), {}, {}});
    if (row.null(5) || row.null(6)) continue;
    list.back().low = row.real(5);
    list.back().high = row.real(6);
  }
}

Result<std::string> SuiteStore::meta(std::string_view key) { return read_meta(database_, key); }

}  // namespace kp::suite

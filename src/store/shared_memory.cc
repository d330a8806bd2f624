// SPDX-License-Identifier: Apache-2.0
#include "store/shared_memory.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "assets/store_memory.h"
#include "store/experiences.h"

namespace kp::store {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kMostRead = 10'000;  // as many as are compared with a node in 10 ms or so

constexpr std::string_view kMemoryQuery = R"(
  SELECT number, run, node, parent, task, device, boundness, findings, tool, action, idea, outcome,
         lesson, gain, sources
  FROM experience
  WHERE number > max(?, (SELECT coalesce(max(number), 0) FROM experience) - ?)
    AND run <> ? AND (? = '' OR (task <> ? AND task_digest <> ?))
  ORDER BY number)";

Result<Experience> experience_of(const Statement& row) {
  Experience experience;
  experience.run = row.text(1);
  experience.node = static_cast<int>(row.integer(2));
  experience.parent = static_cast<int>(row.integer(3));
  experience.task = row.text(4);
  experience.device = row.text(5);
  KP_TRY(experience.boundness, boundness_from(row.text(6)));
  KP_TRY(experience.findings, names_from(row.text(7)));
  experience.tool = row.text(8);
  experience.action = row.text(9);
  experience.idea = row.text(10);
  experience.outcome = row.text(11);
  experience.lesson = row.text(12);
  if (!row.null(13)) experience.gain = row.real(13);
  KP_TRY(experience.sources, names_from(row.text(14)));
  return experience;
}

Result<void> insert(Sqlite& database, const Experience& one, const std::string& task_digest) {
  KP_TRY(auto row, database.prepare("INSERT OR IGNORE INTO experience VALUES "
                                    "(NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
  row.bind(std::string_view(one.run)).bind(std::int64_t{one.node}).bind(std::int64_t{one.parent});
  row.bind(std::string_view(one.task)).bind(std::string_view(task_digest));
  row.bind(std::string_view(one.device)).bind(name_of(one.boundness));
  row.bind(std::string_view(Json(one.findings).dump())).bind(std::string_view(one.tool));
  row.bind(std::string_view(one.action)).bind(std::string_view(one.idea));
  row.bind(std::string_view(one.outcome)).bind(std::string_view(one.lesson)).bind(one.gain);
  return row.bind(std::string_view(Json(one.sources).dump())).run();
}

}  // namespace

Path default_memory() { return cache_folder() / "memory.db"; }

Result<SharedMemory> SharedMemory::open(const Path& file) {
  KP_TRY_VOID(make_folder(file.parent_path()));
  KP_TRY(auto database, Sqlite::open(file, Sqlite::Access::kWrite).within(file.string()));
  KP_TRY_VOID(database.execute(std::string(assets::store_memory)).within(file.string()));
  return SharedMemory(std::move(database));
}

Result<void> SharedMemory::add(std::span<const Experience> experiences,
                               const std::string& task_digest) {
  if (experiences.empty()) return {};
  KP_TRY(auto change, Transaction::begin(database_));
  for (const Experience& one : experiences) KP_TRY_VOID(insert(database_, one, task_digest));
  return change.commit();
}

Result<std::vector<Experience>> SharedMemory::read(const Without& without) {
  std::vector<Experience> experiences;
  KP_TRY(auto row, database_.prepare(kMemoryQuery));
  row.bind(last_).bind(kMostRead).bind(std::string_view(without.run));
  row.bind(std::string_view(without.task)).bind(std::string_view(without.task));
  row.bind(std::string_view(without.task_digest));
  while (true) {
    KP_TRY(const bool more, row.step());
    if (!more) return experiences;
    last_ = std::max(last_, row.integer(0));
    KP_TRY(auto experience, experience_of(row));
    experiences.push_back(std::move(experience));
  }
}

Result<std::int64_t> SharedMemory::forget(const std::optional<std::string>& run) {
  KP_TRY(auto change, Transaction::begin(database_));
  std::int64_t count = 0;
  {
    KP_TRY(auto had,
           database_.prepare("SELECT count(*) FROM experience WHERE ?1 IS NULL OR run = ?1"));
    std::optional<std::string_view> which;
    if (run) which = *run;
    KP_TRY_VOID(had.bind(which).run());
    count = had.integer(0);
    KP_TRY(auto gone, database_.prepare("DELETE FROM experience WHERE ?1 IS NULL OR run = ?1"));
    KP_TRY_VOID(gone.bind(which).run());
  }
  KP_TRY_VOID(change.commit());
  return count;
}

}  // namespace kp::store

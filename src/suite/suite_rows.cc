// SPDX-License-Identifier: Apache-2.0
#include "suite/suite_rows.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "model/json.h"

namespace kp::suite {
namespace {

constexpr std::string_view kInsert = R"(
  INSERT INTO result (arm, task, seed, state, reason, device, product, task_digest, folder,
    evaluations, labels, remarks, seconds, tokens, dollars, precision, grade, best_node, best_ns,
    speedup, speedup_low, speedup_high, headroom, level)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?))";

constexpr std::string_view kSelect = R"(
  SELECT id, arm, task, seed, state, reason, device, product, task_digest, folder,
    evaluations, labels, remarks, seconds, tokens, dollars, grade, best_node, best_ns, speedup,
    speedup_low, speedup_high, headroom, level, precision
  FROM result WHERE id IN (SELECT max(id) FROM result GROUP BY arm, task, seed) ORDER BY id)";

std::optional<double> real_or_null(const Statement& row, int column) {
  return row.null(column) ? std::nullopt : std::optional(row.real(column));
}

std::optional<std::string> text_or_null(const Statement& row, int column) {
  return row.null(column) ? std::nullopt : std::optional(row.text(column));
}

std::optional<std::int64_t> integer_or_null(const Statement& row, int column) {
  return row.null(column) ? std::nullopt : std::optional(row.integer(column));
}

std::optional<std::string_view> view(const std::optional<std::string>& text) {
  return text ? std::optional<std::string_view>(*text) : std::nullopt;
}

std::string list(const std::vector<std::string>& texts) { return nlohmann::json(texts).dump(); }

Result<std::vector<std::string>> texts_from(const std::string& text) {
  KP_TRY(const auto json, parse_json(text));
  std::vector<std::string> texts;
  for (const auto& one : json) {
    if (!one.is_string()) return fail(ErrorCode::kCorrupt, "suite.db holds a list without texts");
    texts.push_back(one.get<std::string>());
  }
  return texts;
}

void bind_best(Statement& row, const std::optional<Best>& best) {
  if (!best) {
    for (int column = 0; column < 8; ++column) row.bind_null();
    return;
  }
  row.bind(name_of(best->grade)).bind(std::int64_t{best->node}).bind(best->nanoseconds);
  row.bind(best->speedup).bind(best->low).bind(best->high);
  row.bind(best->headroom).bind(view(best->level));
}

Result<void> insert_details(Sqlite& database, std::int64_t id, const RunResult& result) {
  for (const Yardstick& one : result.yardsticks) {
    KP_TRY(auto row, database.prepare("INSERT INTO yardstick VALUES (?, ?, ?, ?, ?)"));
    row.bind(id).bind(std::string_view(one.name)).bind(std::string_view(one.precision));
    KP_TRY_VOID(row.bind(name_of(one.grade)).bind(one.nanoseconds).run());
  }
  for (const Point& point : result.points) {
    KP_TRY(auto row, database.prepare("INSERT INTO point VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"));
    row.bind(id).bind(std::int64_t{point.evaluation}).bind(std::int64_t{point.node});
    row.bind(std::string_view(point.outcome)).bind(point.speedup).bind(view(point.level));
    KP_TRY_VOID(row.bind(point.seconds).bind(point.tokens).bind(point.dollars).run());
  }
  return {};
}

Result<std::optional<Best>> best_from(const Statement& row) {
  std::optional<Best> best;
  if (row.null(17)) return best;
  best.emplace();
  KP_TRY(best->labels, texts_from(row.text(11)));
  KP_TRY(best->remarks, texts_from(row.text(12)));
  KP_TRY(best->grade, grade_from(row.text(16)));
  best->node = static_cast<int>(row.integer(17));
  best->nanoseconds = row.real(18);
  best->speedup = real_or_null(row, 19);
  best->low = real_or_null(row, 20);
  best->high = real_or_null(row, 21);
  best->headroom = real_or_null(row, 22);
  best->level = text_or_null(row, 23);
  return best;
}

Result<RunResult> result_from(const Statement& row) {
  RunResult result;
  result.key = {row.text(1), row.text(2), static_cast<std::uint64_t>(row.integer(3))};
  result.quarantined = row.text(4) == "quarantined";
  result.reason = row.text(5);
  result.device = row.text(6);
  result.product = row.text(7);
  result.task_digest = row.text(8);
  result.folder = row.text(9);
  result.evaluations = static_cast<int>(row.integer(10));
  result.seconds = real_or_null(row, 13);
  result.tokens = integer_or_null(row, 14);
  result.dollars = real_or_null(row, 15);
  result.precision = row.text(24);
  KP_TRY(result.best, best_from(row));
  return result;
}

Result<void> read_yardsticks(Sqlite& database, std::int64_t id, RunResult& result) {
  KP_TRY(auto row, database.prepare("SELECT name, precision, grade, ns FROM yardstick "
                                    "WHERE result = ? ORDER BY rowid"));
  row.bind(id);
  while (true) {
    KP_TRY(const bool more, row.step());
    if (!more) return {};
    KP_TRY(const Grade grade, grade_from(row.text(2)));
    result.yardsticks.push_back({row.text(0), row.text(1), grade, row.real(3)});
  }
}

Result<void> read_points(Sqlite& database, std::int64_t id, RunResult& result) {
  KP_TRY(auto row, database.prepare("SELECT evaluation, node, outcome, speedup, level, seconds, "
                                    "tokens, dollars FROM point WHERE result = ? "
                                    "ORDER BY evaluation"));
  row.bind(id);
  while (true) {
    KP_TRY(const bool more, row.step());
    if (!more) return {};
    result.points.push_back({static_cast<int>(row.integer(0)), static_cast<int>(row.integer(1)),
                             row.text(2), real_or_null(row, 3), text_or_null(row, 4),
                             real_or_null(row, 5), integer_or_null(row, 6), real_or_null(row, 7)});
  }
}

}  // namespace

Result<Grade> grade_from(const std::string& name) {
  for (const Grade grade : {Grade::kMeasured, Grade::kModelled}) {
    if (name_of(grade) == name) return grade;
  }
  return fail(ErrorCode::kCorrupt, fmt::format("suite.db holds a time that is '{}'", name),
              "the file is damaged; restore it from a copy");
}

Result<void> insert(Sqlite& database, const RunResult& result) {
  KP_TRY(auto row, database.prepare(kInsert));
  row.bind(std::string_view(result.key.arm)).bind(std::string_view(result.key.task));
  row.bind(static_cast<std::int64_t>(result.key.seed));
  row.bind(std::string_view(result.quarantined ? "quarantined" : "finished"));
  row.bind(std::string_view(result.reason)).bind(std::string_view(result.device));
  row.bind(std::string_view(result.product)).bind(std::string_view(result.task_digest));
  row.bind(std::string_view(result.folder.string())).bind(std::int64_t{result.evaluations});
  const Best none, &best = result.best ? *result.best : none;
  row.bind(std::string_view(list(best.labels))).bind(std::string_view(list(best.remarks)));
  row.bind(result.seconds).bind(result.tokens).bind(result.dollars);
  row.bind(std::string_view(result.precision));
  bind_best(row, result.best);
  KP_TRY_VOID(row.run());
  return insert_details(database, database.last_row(), result);
}

Result<std::map<RunKey, RunResult>> read_results(Sqlite& database) {
  std::map<RunKey, RunResult> results;
  KP_TRY(auto row, database.prepare(kSelect));
  while (true) {
    KP_TRY(const bool more, row.step());
    if (!more) return results;
    KP_TRY(RunResult result, result_from(row));
    KP_TRY_VOID(read_yardsticks(database, row.integer(0), result));
    KP_TRY_VOID(read_points(database, row.integer(0), result));
    results.insert_or_assign(result.key, std::move(result));
  }
}

}  // namespace kp::suite

// SPDX-License-Identifier: Apache-2.0
// workload.jsonl, or the traces without results of a data set: one workload a line.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "model/json.h"
#include "task/declaration.h"
#include "task/definition.h"
#include "task/plan_draft.h"
#include "task/workload_line.h"

namespace kp::task {
namespace {

using Json = nlohmann::json;

/// Files of traces may hold those of several definitions.
bool is_of(const Definition& definition, const Json& line) {
  return !is_trace(line) || !line.contains("definition") || line["definition"] == definition.name;
}

/// Nothing for a line of another definition.
Result<std::optional<ReadWorkload>> read_line(const Definition& definition, std::string_view line,
                                              SourceSpot spot) {
  auto json = parse_json(line);
  if (json && !is_of(definition, *json)) return std::optional<ReadWorkload>{};
  if (json) {
    KP_TRY(ReadWorkload read, read_workload_line(definition, *json, spot));
    return std::optional(std::move(read));
  }
  Error error = std::move(json).error();
  error.code = ErrorCode::kInvalidInput;
  spot.column = error.spot.column;
  error.spot = std::move(spot);
  return tl::unexpected<Error>(std::move(error));
}

/// Without a check workload the smallest one is checked too, under a name of its own.
Result<void> complete_roles(const Definition& definition, std::vector<Workload>& workloads,
                            const SourceSpot& spot) {
  const auto has = [&workloads](WorkloadRole role) {
    return std::any_of(workloads.begin(), workloads.end(),
                       [role](const Workload& workload) { return workload.role == role; });
  };
  if (!has(WorkloadRole::kTime)) {
    return fail_at(spot, "no workload has the role \"time\"",
                   "leave the role out of at least one line, or write \"role\": \"time\"");
  }
  if (has(WorkloadRole::kCheck)) return {};
  const Workload* smallest = nullptr;
  double least = 0;
  for (const Workload& workload : workloads) {
    KP_TRY(const double bytes, total_bytes(definition.declaration, workload.axes));
    if (smallest != nullptr && bytes >= least) continue;
    smallest = &workload;
    least = bytes;
  }
  Workload check = *smallest;
  check.name = "check:" + check.name;
  check.role = WorkloadRole::kCheck;
  workloads.push_back(std::move(check));
  return {};
}

}  // namespace

Result<std::vector<Workload>> read_workloads(const Definition& definition, const Path& path) {
  KP_TRY(const std::string text, read_text(path));
  std::vector<Workload> workloads;
  SourceSpot spot{path.string(), 0, 0};
  for (const std::string_view line : split_lines(text)) {
    ++spot.line;
    if (trim(line).empty()) continue;
    KP_TRY(auto read, read_line(definition, line, spot));
    if (!read) continue;
    for (const Workload& other : workloads) {
      if (other.name != read->workload.name) continue;
      return fail_at(spot, fmt::format("workload `{}` stands twice", other.name),
                     "give every line a uuid of its own");
    }
    workloads.push_back(std::move(read->workload));
  }
  spot.line = 0;
  if (workloads.empty()) {
    return fail_at(spot, "no workload",
                   "each line is one: {\"uuid\": \"a\", \"axes\": {\"n\": 67}}");
  }
  KP_TRY_VOID(complete_roles(definition, workloads, spot));
  return workloads;
}

}  // namespace kp::task

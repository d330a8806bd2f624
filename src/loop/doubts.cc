// SPDX-License-Identifier: Apache-2.0
#include "loop/doubts.h"

#include <nlohmann/json.hpp>

#include "loop/settings.h"
#include "task/quarantine.h"

namespace kp::loop {
namespace {

constexpr std::string_view kDegenerate = "benchmark-degenerate";
constexpr std::string_view kAlgebraic = "algebraic";

/// What a screening depends on: where a run begins is no part of it, unless that is the reference.
Result<std::string> identity_of(const Task& task) {
  Task bare = task;
  const bool apart =
      task.oracle.kind == Oracle::Kind::kHost || task.oracle.kind == Oracle::Kind::kTorch;
  if (apart) bare.baseline.reset();
  return digest_of(bare);
}

/// One for each kind of screening: what is sound on small workloads may not be on large ones.
Path record_of(const std::string& identity, bool timed, const Path& cache) {
  return cache / "screen" / (identity + (timed ? "-timed.json" : ".json"));
}

/// Structure that candidates may use, and comparisons that are ours and exact, are no doubts.
std::string_view label_of(const task::TaskFault& fault) {
  switch (fault.kind) {
    case task::FaultClass::kPrecondition:
    case task::FaultClass::kIndex:
      return {};
    case task::FaultClass::kAlgebraic:
      return kAlgebraic;
    default:
      return kDegenerate;
  }
}

void add_listed(std::vector<Label>& doubts, const task::Quarantine& listed) {
  for (const std::string_view label : {kDegenerate, kAlgebraic}) {
    task::Quarantine part{.task = listed.task, .faults = {}, .listed = {}};
    for (const task::TaskFault& fault : listed.faults) {
      if (label_of(fault) == label) part.faults.push_back(fault);
    }
    if (part.faults.empty()) continue;
    doubts.push_back({std::string(label), (part.excluded() ? "quarantined, " : "listed, ") +
                                              part.task + ": " + part.reason()});
  }
}

/// A record that cannot be read says nothing.
void add_screened(std::vector<Label>& doubts, const Path& record) {
  const auto text = read_text(record);
  if (!text) return;
  const auto json = nlohmann::json::parse(*text, nullptr, false);
  if (!json.is_object() || !json.contains("degenerate") || !json["degenerate"].is_string()) return;
  doubts.push_back(
      {std::string(kDegenerate), "screened: " + json["degenerate"].get<std::string>()});
}

}  // namespace

Result<void> remember_screening(const harness::Screening& screening, const Task& task,
                                const Path& cache) {
  KP_TRY(const std::string identity, identity_of(task));
  const Path record = record_of(identity, screening.timed, cache);
  KP_TRY_VOID(make_folder(record.parent_path()));
  return write_file(record, harness::to_json(screening).dump());
}

Result<std::vector<Label>> doubts_about(const Task& task, const Path& cache) {
  std::vector<Label> doubts;
  KP_TRY(const auto listed, task::known_faults(task));
  if (listed) add_listed(doubts, *listed);
  KP_TRY(const std::string identity, identity_of(task));
  for (const bool timed : {false, true}) add_screened(doubts, record_of(identity, timed, cache));
  return doubts;
}

}  // namespace kp::loop

// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "model/json_reader.h"
#include "suite/report_tables.h"

namespace kp::suite {
namespace {

using Json = nlohmann::json;

Json estimate_json(const std::optional<Estimate>& estimate) {
  if (!estimate) return nullptr;
  return {{"value", estimate->value},
          {"low", estimate->interval.low},
          {"high", estimate->interval.high}};
}

Json baseline_json(const AgainstBaseline& one) {
  Json fast = Json::object();
  for (std::size_t i = 0; i < kFastP.size(); ++i) {
    fast[std::to_string(kFastP[i]).substr(0, 3)] = estimate_json(one.fast[i]);
  }
  return {{"baseline", one.baseline},
          {"tasks", one.tasks},
          {"fast", fast},
          {"geometric_mean_failures_as_1", estimate_json(one.failures_as_one)},
          {"geometric_mean_solved", estimate_json(one.solved_only)},
          {"geometric_mean_capped", estimate_json(one.capped)},
          {"cap", kCap}};
}

Json milestone_json(const Milestone& mark) {
  return {{"evaluations", mark.evaluations},
          {"runs", mark.going},
          {"best_so_far", or_null(mark.speedup)},
          {"solved", or_null(mark.solved)},
          {"wall_clock_s", or_null(mark.seconds)},
          {"tokens", or_null(mark.tokens)},
          {"cost_dollars", or_null(mark.dollars)},
          {"raw", or_null(mark.raw)},
          {"cute", or_null(mark.cute)},
          {"cutlass", or_null(mark.cutlass)},
          {"library", or_null(mark.library())}};
}

Json run_json(const RunResult& run) {
  Json yardsticks = Json::array();
  for (const Yardstick& one : run.yardsticks) {
    yardsticks.push_back({{"name", one.name},
                          {"precision", one.precision},
                          {"evidence", name_of(one.grade)},
                          {"ns", one.nanoseconds}});
  }
  Json form{{"task", run.key.task},
            {"seed", run.key.seed},
            {"folder", run.folder.string()},
            {"evaluations", run.evaluations},
            {"ended_by", run.reason},
            {"wall_clock_s", or_null(run.seconds)},
            {"tokens", or_null(run.tokens)},
            {"cost_dollars", or_null(run.dollars)},
            {"baselines", yardsticks},
            {"best_node", nullptr},
            {"best_ns", nullptr},
            {"speedup", nullptr},
            {"headroom", nullptr},
            {"level", nullptr}};
  if (!run.best) return form;
  form["best_node"] = run.best->node;
  form["best_ns"] = run.best->nanoseconds;
  form["speedup"] = or_null(run.best->speedup);
  form["speedup_low"] = or_null(run.best->low);
  form["speedup_high"] = or_null(run.best->high);
  form["headroom"] = or_null(run.best->headroom);
  form["level"] = or_null(run.best->level);
  form["labels"] = run.best->labels;
  form["remarks"] = run.best->remarks;
  return form;
}

Json group_json(const GroupFigures& figures) {
  Json form{{"arm", figures.group.arm},
            {"evidence", name_of(figures.group.grade)},
            {"product", figures.group.product},
            {"tasks", figures.tasks},
            {"solved_runs", figures.solved},
            {"roof_fraction", or_null(figures.roof.fraction)},
            {"log_headroom_share", or_null(figures.roof.log_share)},
            {"baselines", Json::array()},
            {"milestones", Json::array()},
            {"labels", Json::object()},
            {"runs", Json::array()}};
  for (const auto& one : figures.baselines) form["baselines"].push_back(baseline_json(one));
  for (const auto& mark : figures.milestones) form["milestones"].push_back(milestone_json(mark));
  for (const auto& [label, count] : figures.labels) form["labels"][label] = count;
  for (const RunResult& run : figures.group.runs) form["runs"].push_back(run_json(run));
  return form;
}

}  // namespace

Json report_json(const Results& results) {
  Json all{{"name", results.name},          {"folder", results.folder.string()},
           {"wanted_runs", results.wanted}, {"groups", Json::array()},
           {"quarantined", Json::array()},  {"noise", Json::array()}};
  for (Group& group : groups_of(results.runs)) {
    all["groups"].push_back(group_json(figures_of(std::move(group))));
  }
  for (const RunResult& run : results.runs) {
    if (!run.quarantined) continue;
    all["quarantined"].push_back({{"arm", run.key.arm},
                                  {"task", run.key.task},
                                  {"seed", run.key.seed},
                                  {"reason", run.reason}});
  }
  for (const Noise& one : results.noise) {
    all["noise"].push_back({{"task", one.task},
                            {"device", one.device},
                            {"evidence", name_of(one.grade)},
                            {"ratio", one.ratio},
                            {"low", or_null(one.low)},
                            {"high", or_null(one.high)}});
  }
  return all;
}

}  // namespace kp::suite

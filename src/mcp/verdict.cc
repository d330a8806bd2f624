// SPDX-License-Identifier: Apache-2.0
#include "mcp/verdict.h"

#include <cmath>

#include "loop/doubts.h"
#include "mcp/schema.h"
#include "model/json.h"
#include "propose/llm/quoted.h"
#include "report/findings.h"

namespace kp::mcp {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostLogBytes = 12000;  // of a compiler
constexpr std::size_t kMostLineBytes = 2000;

Json speedup_schema() {
  return object_schema({{"value", number("times faster than the baseline")},
                        {"low?", number("lower end of the 95 % interval; measured ratios only")},
                        {"high?", number("upper end")},
                        {"pairs?", integer("launches in alternation with the baseline", 0)}});
}

Json speedup_of(const Speedup& speedup) {
  return {{"value", speedup.value},
          {"low", speedup.low},
          {"high", speedup.high},
          {"pairs", speedup.pairs}};
}

Json workload_schema() {
  return object_schema({{"workload", text("its name")},
                        {"time_ns", number("nanoseconds")},
                        {"low_ns?", number("lower end of the 95 % interval")},
                        {"high_ns?", number("upper end")},
                        {"speedup?", speedup_schema()}});
}

Json workload_of(const TimedWorkload& timed) {
  Json out{{"workload", timed.workload}, {"time_ns", timed.nanoseconds}};
  if (timed.low) out["low_ns"] = *timed.low;
  if (timed.high) out["high_ns"] = *timed.high;
  if (timed.speedup) out["speedup"] = speedup_of(*timed.speedup);
  return out;
}

Json labels_json(const std::vector<Label>& labels) {
  Json list = Json::array();
  for (const Label& label : labels) list.push_back({{"name", label.name}, {"text", label.text}});
  return list;
}

void add_measured(const Measured& measured, Json& out) {
  out["evidence"] = name_of(measured.grade);
  out["time_ns"] = measured.nanoseconds;
  for (const TimedWorkload& timed : measured.workloads) {
    out["workloads"].push_back(workload_of(timed));
  }
  if (measured.speedup) out["speedup"] = speedup_of(*measured.speedup);
  if (!measured.labels.empty()) out["labels"] = labels_json(measured.labels);
}

/// All that is known about a failure; the text of compilers is shortened and cleaned.
Json fault_of(const Evaluation& evaluation) {
  Json details = to_json(evaluation)["details"];
  if (details.contains("log")) {
    details["log"] = propose::quoted(details["log"].get<std::string>(), kMostLogBytes);
  }
  for (const char* key : {"message", "detail", "reason"}) {
    if (details.contains(key)) {
      details[key] = propose::on_one_line(details[key].get<std::string>(), kMostLineBytes);
    }
  }
  return details;
}

void add_diagnosis(const Diagnosis& diagnosis, Json& out) {
  out["bound_by"] = name_of(diagnosis.boundness);
  out["bound_because"] = diagnosis.why;
  out["at_roof"] = diagnosis.at_roof;
  if (std::isfinite(diagnosis.headroom)) out["headroom"] = diagnosis.headroom;
  for (const Finding& finding : diagnosis.findings) {
    Json found = report::finding_json(finding);
    if (!finding.kernel.empty()) found["kernel"] = finding.kernel;
    out["findings"].push_back(std::move(found));
  }
}

}  // namespace

Json doubts_schema() {
  return list_of(object_schema(
      {{"name", text("of a doubt")}, {"text", text("what to look at before believing")}}));
}

Result<Json> doubts_about(const Task& task) {
  KP_TRY(const auto doubts, loop::doubts_about(task, cache_folder()));
  return doubts.empty() ? Json() : labels_json(doubts);
}

Json finding_schema() {
  return object_schema(
      {{"tool", text("the diagnosis tool; list_tools describes it")},
       {"kernel?", text("where it was found, when there are several")},
       {"severity", one_of("how much it matters", {"info", "warning", "critical"})},
       {"evidence", one_of("where the numbers come from", {"measured", "modelled", "static"})},
       {"gain", list_of(nullable(number("times faster; lowest, highest")))},
       {"message", text("what was seen and why it costs")},
       {"prescriptions",
        list_of(object_schema({{"action", text("key of the change, for `follows` of a candidate")},
                               {"text", text("what to do")},
                               {"code", text("CUDA to begin with; may be empty")}}))}});
}

Json verdict_schema() {
  return object_schema(
      {{"node?", integer("number in the tree; a parent for further candidates", 0)},
       {"parent?", integer("the node that it was made from", 0)},
       {"outcome", one_of("what happened", {"measured", "build failed", "rejected", "crashed",
                                            "timed out", "wrong answer"})},
       {"summary", text("the same in one line")},
       {"evidence?", one_of("modelled times rank versions, measured times are results",
                            {"measured", "modelled"})},
       {"time_ns?", number("nanoseconds, geometric mean over the workloads")},
       {"workloads?", list_of(workload_schema())},
       {"speedup?", speedup_schema()},
       {"labels?", doubts_schema()},
       {"fault?", any("details of a failure: the compiler's text, the failing index with expected "
                      "and got, the racing access")},
       {"bound_by?", one_of("what limits it", {"memory", "compute", "latency", "mixed", "launch"})},
       {"bound_because?", text("why, with numbers")},
       {"at_roof?", flag("whether only less work can help")},
       {"headroom?", number("time over the lower bound of any version")},
       {"findings?", list_of(finding_schema())},
       {"notes?", list_of(text("what the judge wants known"))}});
}

Json verdict_of(const Evaluation& evaluation, const std::optional<Diagnosis>& diagnosis) {
  Json out{{"outcome", name_of(evaluation.outcome)}, {"summary", summary(evaluation)}};
  if (const Measured* measured = evaluation.measured()) {
    add_measured(*measured, out);
  } else {
    out["fault"] = fault_of(evaluation);
  }
  if (diagnosis) add_diagnosis(*diagnosis, out);
  if (!evaluation.notes.empty()) out["notes"] = evaluation.notes;
  return out;
}

Json verdict_of(const store::NodeRecord& node) {
  Json out = verdict_of(*node.evaluation, node.diagnosis);
  out["node"] = node.id;
  if (node.parent) out["parent"] = *node.parent;
  if (node.speedup && !out.contains("speedup")) out["speedup"] = {{"value", *node.speedup}};
  return out;
}

Json best_schema() {
  return object_schema({{"node", integer("its number", 0)},
                        {"time_ns", number("nanoseconds")},
                        {"speedup", speedup_schema()}});
}

Result<Json> best_of(loop::LiveRun& run) {
  const int best = run.history().planted() ? run.tree().best() : -1;
  if (best < 0) return Json();
  KP_TRY(const auto node, run.store().node(best));
  const Json verdict = verdict_of(node);
  return Json{{"node", best}, {"time_ns", verdict["time_ns"]}, {"speedup", verdict["speedup"]}};
}

}  // namespace kp::mcp

// SPDX-License-Identifier: Apache-2.0
// Evaluations as JSON.
#include <nlohmann/json.hpp>

#include "model/json.h"
#include "model/profile_json.h"

namespace kp {
namespace {

using Json = nlohmann::json;

Json body(const BuildFailed& failed) {
  return {{"log", failed.log}, {"spot", spot_json(failed.spot)}};
}

Json body(const Rejected& rejected) {
  return {{"rule", rejected.rule}, {"reason", rejected.reason}};
}

Json body(const Crashed& crashed) {
  return {{"fault", name_of(crashed.fault)},
          {"message", crashed.message},
          {"kernel", crashed.kernel},
          {"spot", spot_json(crashed.spot)}};
}

Json body(const TimedOut& out) {
  return {{"phase", out.phase},
          {"limit", json_number(out.limit)},
          {"unit", out.unit},
          {"detail", out.detail}};
}

Json body(const WrongAnswer& wrong) {
  return {{"message", wrong.message},
          {"value_set", wrong.value_set},
          {"workload", wrong.workload},
          {"tensor", wrong.tensor},
          {"gate", wrong.gate},
          {"error", json_number(wrong.error)},
          {"limit", json_number(wrong.limit)},
          {"index", wrong.index},
          {"expected", json_number(wrong.expected)},
          {"got", json_number(wrong.got)}};
}

Json speedup_json(const Speedup& speedup) {
  return {{"value", json_number(speedup.value)},
          {"low", json_number(speedup.low)},
          {"high", json_number(speedup.high)},
          {"pairs", speedup.pairs}};
}

Json published_json(const PublishedVerdict& verdict) {
  return {{"rule", verdict.rule},
          {"workload", verdict.workload},
          {"passed", verdict.passed},
          {"max_absolute_error", json_number(verdict.max_absolute_error)},
          {"max_relative_error", json_number(verdict.max_relative_error)},
          {"matched", json_number(verdict.matched)},
          {"required", json_number(verdict.required)},
          {"has_nan", verdict.has_nan},
          {"has_infinity", verdict.has_infinity}};
}

Json body(const Measured& measured) {
  Json workloads = Json::array();
  for (const TimedWorkload& timed : measured.workloads) {
    Json entry{{"workload", timed.workload}, {"nanoseconds", json_number(timed.nanoseconds)}};
    if (timed.low) entry["low_nanoseconds"] = json_number(*timed.low);
    if (timed.high) entry["high_nanoseconds"] = json_number(*timed.high);
    if (timed.speedup) entry["speedup"] = speedup_json(*timed.speedup);
    workloads.push_back(std::move(entry));
  }
  Json out{{"nanoseconds", json_number(measured.nanoseconds)},
           {"grade", name_of(measured.grade)},
           {"workloads", std::move(workloads)},
           {"worst_error", json_number(measured.worst_error)},
           {"error_limit", json_number(measured.error_limit)},
           {"deterministic", measured.deterministic},
           {"profile", to_json(measured.profile)}};
  if (measured.speedup) out["speedup"] = speedup_json(*measured.speedup);
  for (const Label& label : measured.labels)
    out["labels"].push_back({{"name", label.name}, {"text", label.text}});
  return out;
}

BuildFailed read_build_failed(const JsonReader& in) {
  return {in.text("log"), read_spot(in.object("spot"))};
}

Rejected read_rejected(const JsonReader& in) { return {in.text("rule"), in.text("reason")}; }

Crashed read_crashed(const JsonReader& in) {
  const FaultKind fault = in.choice(
      "fault", {FaultKind::kMemory, FaultKind::kMisaligned, FaultKind::kRace,
                FaultKind::kUninitialised, FaultKind::kBarrier, FaultKind::kIllegalInstruction,
                FaultKind::kTrap, FaultKind::kOutOfResources, FaultKind::kUnsupported});
  return {fault, in.text("message"), in.text("kernel"), read_spot(in.object("spot"))};
}

TimedOut read_timed_out(const JsonReader& in) {
  return {in.text("phase"), in.number("limit"), in.text("unit"), in.text("detail")};
}

std::vector<std::int64_t> read_index(const JsonReader& in) {
  std::vector<std::int64_t> index;
  if (!in.has("index") || !in.json()["index"].is_array())
    in.wrong("index", "an array");
  else
    for (const Json& item : in.json()["index"]) {
      if (!item.is_number_integer())
        in.wrong("index", "an array of integers");
      else
        index.push_back(item.get<std::int64_t>());
    }
  return index;
}

WrongAnswer read_wrong_answer(const JsonReader& in) {
  WrongAnswer wrong;
  wrong.message = in.text("message");
  wrong.value_set = in.text("value_set");
  wrong.workload = in.text("workload");
  wrong.tensor = in.text("tensor");
  wrong.gate = in.text("gate");
  wrong.error = in.number("error");
  wrong.limit = in.number("limit");
  wrong.index = read_index(in);
  wrong.expected = in.number("expected");
  wrong.got = in.number("got");
  return wrong;
}

/// Absent in modelled results and in records of older versions.
std::optional<Speedup> read_speedup(const JsonReader& in) {
  if (!in.has("speedup")) return {};
  const JsonReader speedup = in.object("speedup");
  return Speedup{speedup.number("value"), speedup.number("low"), speedup.number("high"),
                 static_cast<int>(speedup.integer("pairs"))};
}

TimedWorkload read_timed_workload(const JsonReader& in) {
  TimedWorkload timed{in.text("workload"), in.number("nanoseconds"), {}, {}, read_speedup(in)};
  if (in.has("low_nanoseconds")) timed.low = in.number("low_nanoseconds");
  if (in.has("high_nanoseconds")) timed.high = in.number("high_nanoseconds");
  return timed;
}

Measured read_measured(const JsonReader& in) {
  Measured measured;
  measured.nanoseconds = in.number("nanoseconds");
  measured.grade = read_grade(in);
  in.each("workloads", [&measured](const JsonReader& timed) {
    measured.workloads.push_back(read_timed_workload(timed));
  });
  measured.worst_error = in.number("worst_error");
  measured.error_limit = in.number("error_limit");
  measured.deterministic = in.flag("deterministic");
  measured.speedup = read_speedup(in);
  if (in.has("labels"))
    in.each("labels", [&measured](const JsonReader& label) {
      measured.labels.push_back({label.text("name"), label.text("text")});
    });
  measured.profile = read_profile(in.object("profile"));
  return measured;
}

PublishedVerdict read_published(const JsonReader& in) {
  PublishedVerdict verdict{in.text("rule"), in.text("workload"), in.flag("passed")};
  verdict.max_absolute_error = in.number("max_absolute_error");
  verdict.max_relative_error = in.number("max_relative_error");
  verdict.matched = in.number("matched");
  verdict.required = in.number("required");
  verdict.has_nan = in.flag("has_nan");
  verdict.has_infinity = in.flag("has_infinity");
  return verdict;
}

Outcome read_outcome(const JsonReader& in) {
  const std::string kind = in.text("outcome");
  const JsonReader body = in.object("details");
  if (kind == name_of(Outcome(BuildFailed{}))) return read_build_failed(body);
  if (kind == name_of(Outcome(Rejected{}))) return read_rejected(body);
  if (kind == name_of(Outcome(Crashed{}))) return read_crashed(body);
  if (kind == name_of(Outcome(TimedOut{}))) return read_timed_out(body);
  if (kind == name_of(Outcome(WrongAnswer{}))) return read_wrong_answer(body);
  if (kind == name_of(Outcome(Measured{}))) return read_measured(body);
  in.wrong("outcome", "a known outcome");
  return BuildFailed{};
}

std::map<std::string, double> read_phases(const JsonReader& in) {
  std::map<std::string, double> phases;
  if (!in.json().is_object()) return phases;
  for (const auto& [phase, seconds] : in.json().items()) phases[phase] = in.number(phase.c_str());
  return phases;
}

}  // namespace

Json to_json(const Evaluation& evaluation) {
  Json out{
      {"outcome", name_of(evaluation.outcome)},
      {"details", std::visit([](const auto& value) { return body(value); }, evaluation.outcome)},
      {"depth", name_of(evaluation.depth)},
      {"device", evaluation.device},
      {"wall_seconds", json_number(evaluation.wall_seconds)},
      {"notes", evaluation.notes}};
  for (const auto& [phase, seconds] : evaluation.phases)
    out["phases_seconds"][phase] = json_number(seconds);
  if (!evaluation.sandbox.empty()) out["sandbox"] = evaluation.sandbox;
  for (const PublishedVerdict& verdict : evaluation.published)
    out["published"].push_back(published_json(verdict));
  return out;
}

Result<Evaluation> evaluation_from_json(const Json& json) {
  JsonReader::Fault fault;
  const JsonReader in(json, "evaluation", fault);
  Evaluation evaluation;
  evaluation.outcome = read_outcome(in);
  evaluation.depth = in.choice("depth", {Depth::kQuick, Depth::kFinal});
  evaluation.device = in.text("device");
  evaluation.wall_seconds = in.number("wall_seconds");
  evaluation.notes = in.texts("notes");
  if (in.has("phases_seconds")) evaluation.phases = read_phases(in.object("phases_seconds"));
  if (in.has("sandbox")) evaluation.sandbox = in.text("sandbox");
  if (in.has("published"))
    in.each("published", [&evaluation](const JsonReader& verdict) {
      evaluation.published.push_back(read_published(verdict));
    });
  return value_or_fault(std::move(evaluation), std::move(fault));
}

}  // namespace kp

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/screen.h"

namespace kp::harness {
namespace {

using Verdict = AttackReport::Verdict;

nlohmann::json to_json(const AttackReport& report) {
  nlohmann::json json{{"workload", report.workload}, {"inputs", report.inputs},
                      {"tensor", report.tensor},     {"attack", report.attack},
                      {"judged", report.judged},     {"verdict", name_of(report.verdict)}};
  if (!report.reason.empty()) json["reason"] = report.reason;
  if (report.verdict == Verdict::kNone) return json;
  if (!report.gate.empty()) json["gate"] = report.gate;
  json["error"] = report.error;
  json["limit"] = report.limit;
  json["seeds"] = report.seeds;
  json["allclose"] = {{"1e-4", report.close_tight}, {"1e-2", report.close_loose}};
  return json;
}

bool counts(const AttackReport& report) {
  return report.judged && report.verdict == Verdict::kPasses;
}

/// "`y` passes as zeros, constant (workload small)".
std::string passes_of(const Screening& screening, const AttackReport& first) {
  std::vector<std::string> names;
  for (const AttackReport& report : screening.reports) {
    const bool same = report.tensor == first.tensor && report.workload == first.workload;
    if (counts(report) && same) names.push_back(report.attack);
  }
  return fmt::format("`{}` passes as: {} (workload {})", first.tensor, fmt::join(names, ", "),
                     first.workload);
}

}  // namespace

std::string_view name_of(AttackReport::Verdict verdict) {
  switch (verdict) {
    case Verdict::kFails:
      return "fails";
    case Verdict::kPasses:
      return "passes";
    case Verdict::kExcused:
      return "excused";
    case Verdict::kNone:
      return "none";
  }
  return "none";
}

std::optional<std::string> Screening::degenerate() const {
  if (unsteady) return unsteady;
  const auto first = std::find_if(reports.begin(), reports.end(), counts);
  if (first == reports.end()) return {};
  return passes_of(*this, *first);
}

nlohmann::json to_json(const Screening& screening) {
  const auto why = screening.degenerate();
  const auto mended = screening.zero_mean_sound;
  nlohmann::json json{{"task", screening.task},
                      {"timed", screening.timed},
                      {"sound", !why},
                      {"degenerate", why ? nlohmann::json(*why) : nlohmann::json()},
                      {"zero_mean_sound", mended ? nlohmann::json(*mended) : nlohmann::json()},
                      {"notes", screening.notes},
                      {"attacks", nlohmann::json::array()}};
  for (const AttackReport& report : screening.reports) json["attacks"].push_back(to_json(report));
  return json;
}

}  // namespace kp::harness

// SPDX-License-Identifier: Apache-2.0
// What `diagnose` tells of a program, kernel by kernel: as text, as Markdown, as JSON. Pure.
#pragma once
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "diagnose/recorded.h"

namespace kp::report {

struct FindingsView {
  const diagnose::ProgramDiagnosis& program;
  /// What the profiler's own rules say; shown when not empty.
  std::vector<profile::RuleMessage> rules{};
  /// Kernels that are shown, those with the largest share of time first; 0: all.
  std::size_t top = 0;
  /// How words that matter are shown on a terminal; absent: as they are.
  std::function<std::string(std::string_view)> strong{}, faint{};
};

/// {"device", "source", "kernels": [{"name", "class", "time_share", "findings": [{"tool",
/// "severity", "evidence", "gain": [low, high], "message", "prescriptions"}]}], "notes"}, and
/// "rules" when there are some. What is not known is null.
nlohmann::json findings_json(const FindingsView& view);
/// One of these findings.
nlohmann::json finding_json(const Finding& finding);
std::string findings_text(const FindingsView& view);
std::string findings_markdown(const FindingsView& view);

/// What tools could not look at, one line for each cause and how many kernels it concerns:
/// "unknown: a, b need METRIC (2 of 7 kernels)". What a kernel plainly does not do is no gap, and
/// nothing is asked about kernels at their roof.
std::vector<std::string> gaps_of(const diagnose::ProgramDiagnosis& program);

}  // namespace kp::report

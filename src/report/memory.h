// SPDX-License-Identifier: Apache-2.0
// What was tried for which finding with which outcome, as a table.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/experience.h"

namespace kp::report {

/// All experiences of one action (an idea of its own, when it is no known action) for one finding.
struct TriedLine {
  std::string finding;  // the tool; empty: no finding led to it
  std::string action;   // empty: the writer's own ideas
  int tried = 0;
  int worked = 0;                     // correct
  std::optional<double> median_gain;  // over the parent, where both were measured
  std::string last_lesson;            // of the newest that failed
};

/// `experiences` oldest first; what was tried most comes first.
std::vector<TriedLine> tried_lines(std::span<const Experience> experiences);
std::string memory_text(std::span<const TriedLine> lines);
nlohmann::json memory_json(std::span<const TriedLine> lines);

}  // namespace kp::report

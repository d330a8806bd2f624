// SPDX-License-Identifier: Apache-2.0
// The report of a suite: what `bench report` shows.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "suite/figures.h"
#include "suite/suite_store.h"
#include "suite/table.h"

namespace kp::suite {

/// All that is known of a suite.
struct Results {
  std::string name, about;
  Path folder;
  int wanted = 0;  // runs
  std::vector<RunResult> runs;
  std::vector<Noise> noise;
};
Result<Results> read_results(const Path& folder);

/// Modelled and measured times, devices and arms never share a table's means.
std::vector<Table> report_tables(const Results& results);
nlohmann::json report_json(const Results& results);

/// "2.41x (1.90 to 3.02)", or "unknown".
std::string estimate_text(const std::optional<Estimate>& estimate);
/// "2.41x", or "unknown".
std::string ratio_text(const std::optional<double>& ratio);
std::string percent_text(const std::optional<double>& share);
/// "vgpu:h200, modelled": what every figure below is.
std::string grade_text(const Group& group);

}  // namespace kp::suite

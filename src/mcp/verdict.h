// SPDX-License-Identifier: Apache-2.0
// What came of a candidate, for a model: the outcome, times with their evidence, and findings in
// plain words. Raw counters stay behind. What is not known is left out.
#pragma once
#include <nlohmann/json.hpp>
#include <optional>

#include "loop/live_run.h"
#include "model/evaluation.h"
#include "model/finding.h"

namespace kp::mcp {

nlohmann::json verdict_schema();
nlohmann::json verdict_of(const Evaluation& evaluation, const std::optional<Diagnosis>& diagnosis);
/// With the speed-up over the baseline where the measurement itself has none.
nlohmann::json verdict_of(const store::NodeRecord& node);

/// What is known against a task itself, whatever the candidate; null when nothing is.
nlohmann::json doubts_schema();
Result<nlohmann::json> doubts_about(const Task& task);

/// The findings of a verdict and of a diagnosis.
nlohmann::json finding_schema();

/// The fastest correct node so far; `best_of` is null when there is none.
nlohmann::json best_schema();
Result<nlohmann::json> best_of(loop::LiveRun& run);

}  // namespace kp::mcp

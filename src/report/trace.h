// SPDX-License-Identifier: Apache-2.0
// Nodes of a run as Solution and Trace of FlashInfer-Bench or SOL-ExecBench. What is written fits
// share/schemas; what nobody measured is left out. docs/flashinfer.md says how outcomes map.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/run_view.h"

namespace kp::report {

enum class TraceForm { kFlashInfer, kSol };
/// "flashinfer", "sol".
std::optional<TraceForm> trace_form(std::string_view name);

struct TraceRequest {
  const RunView& run;
  const Task& task;  // of the run
  TraceForm form = TraceForm::kFlashInfer;
  std::string author = "kernelpro";
  bool modelled = false;  // of a run on a virtual device: without times, and marked
};

/// Nodes with a verdict.
std::vector<int> judged_nodes(const RunView& run);

/// kUnsupported: the task has no definition.json, or the run's times are modelled and nobody said
/// that this is wanted. kInvalidInput: there is no such node, or it was not judged.
Result<nlohmann::ordered_json> solution_of(const TraceRequest& request, int node);
/// One for each workload of which something is known.
Result<std::vector<nlohmann::ordered_json>> traces_of(const TraceRequest& request, int node);

}  // namespace kp::report

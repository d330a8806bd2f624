// SPDX-License-Identifier: Apache-2.0
// The member `evaluation` of a trace. Used by trace.cc.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "report/run_view.h"

namespace kp::report {

/// At full depth where there is one; null for nodes that were never judged.
const Evaluation* judgement_of(const NodeView& view);

/// "NVIDIA H200", or the name of a virtual device.
std::string hardware_of(const store::Meta& meta, const Evaluation& evaluation);

struct EvaluationRecord {
  const Evaluation& evaluation;
  const Workload& workload;
  const store::Meta& meta;
  bool sol = false;  // SOL-ExecBench; else FlashInfer-Bench
};
nlohmann::ordered_json evaluation_record(const EvaluationRecord& record);

}  // namespace kp::report

// SPDX-License-Identifier: Apache-2.0
// One line of a file of workloads. Used by workload_file.cc.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "task/definition.h"

namespace kp::task {

struct ReadWorkload {
  Workload workload;
  bool has_role = false;
};

/// A line that holds its workload as a member is a trace without a result, as in data sets of
/// FlashInfer-Bench.
bool is_trace(const nlohmann::json& line);

Result<ReadWorkload> read_workload_line(const Definition& definition, const nlohmann::json& line,
                                        const SourceSpot& spot);

}  // namespace kp::task

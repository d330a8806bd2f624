// SPDX-License-Identifier: Apache-2.0
// A run as JSON: what `show --json` and `explain --json` print.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "report/run_view.h"

namespace kp::report {

nlohmann::json to_json(const RunView& run);
/// One node with its evaluation, diagnosis, source and ledger line.
nlohmann::json node_to_json(const RunView& run, int node);

}  // namespace kp::report

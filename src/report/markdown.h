// SPDX-License-Identifier: Apache-2.0
// report.md: one page that a reader who distrusts numbers can check.
#pragma once
#include <string>

#include "report/run_view.h"

namespace kp::report {

/// Result, path from baseline to best with diffs, findings, ledger, all candidates, environment.
/// Pure but for diff(1).
std::string markdown(const RunView& run);

}  // namespace kp::report

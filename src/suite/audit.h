// SPDX-License-Identifier: Apache-2.0
// Random winners laid out for a person who distrusts them.
#pragma once
#include <cstdint>
#include <vector>

#include "suite/report_tables.h"

namespace kp::suite {

/// `count` of the runs that won something (all, where there are fewer), drawn without replacement;
/// the same for the same seed.
std::vector<RunResult> draw_winners(const std::vector<RunResult>& runs, std::size_t count,
                                    std::uint64_t seed);

/// A folder for each in `folder`, with baseline.cu, best.cu, change.diff and a README.md: verdict,
/// labels, machine code, evidence, how to reproduce; and README.md beside them that lists them.
Result<void> lay_out(const Results& results, const std::vector<RunResult>& winners,
                     const Path& folder);

}  // namespace kp::suite

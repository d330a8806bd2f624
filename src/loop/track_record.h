// SPDX-License-Identifier: Apache-2.0
// What the ledger says about each tool: how much of what it promised came true.
#pragma once
#include <vector>

#include "diagnose/diagnose.h"
#include "store/run_store.h"

namespace kp::loop {

/// For each tool the mean of ln(gain) / ln(predicted high), each within [0, 1], failures counting
/// 0, drawn towards 0.5 by two imaginary lines so that one lucky child does not decide.
diagnose::TrackRecord track_record(const std::vector<store::LedgerLine>& ledger);

}  // namespace kp::loop

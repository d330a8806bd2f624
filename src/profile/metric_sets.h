// SPDX-License-Identifier: Apache-2.0
// Which hardware counters are asked for. What a chip does not have stays unknown.
#pragma once
#include <span>

#include "model/metric_keys.h"

namespace kp::profile {

/// For every candidate: what tells the bounding resource and feeds most tools, chosen so that a
/// GH100 reads it in 10 passes: 0.4 s on an H200, and 0.25 s more the first time in a process.
std::span<const MetricKey> triage_metrics();
/// All counters that any tool reads: 18 passes on a GH100, 0.5 s on an H200.
std::span<const MetricKey> full_metrics();

}  // namespace kp::profile

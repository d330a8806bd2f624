// SPDX-License-Identifier: Apache-2.0
// Which hardware counters are asked for. What a chip does not have stays unknown.
#pragma once
#include <span>

#include "model/metric_keys.h"

namespace kp::profile {

/// For every candidate: what tells the bounding resource and feeds most tools, chosen so that a
/// GH100 reads it in 10 passes.
std::span<const MetricKey> triage_metrics();
/// All counters that any tool reads: 18 passes on a GH100.
std::span<const MetricKey> full_metrics();

}  // namespace kp::profile

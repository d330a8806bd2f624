// SPDX-License-Identifier: Apache-2.0
// What a kernel's machine code holds, as metrics kp__sass_*.
#pragma once
#include "model/profile.h"
#include "profile/sass_text.h"

namespace kp::profile {

/// Adds the counts of `function`, of grade static; what `metrics` knows stays. Means of what does
/// not occur are absent.
void add_census(const SassFunction& function, MetricSet& metrics);

}  // namespace kp::profile

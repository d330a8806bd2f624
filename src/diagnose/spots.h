// SPDX-License-Identifier: Apache-2.0
// The source lines that matter most to a finding.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/profile.h"

namespace kp::diagnose {

/// At most three lines, heaviest first, that carry at least a tenth of the kernel's total `weight`.
/// Empty when the profile does not count by line.
std::vector<SourceSpot> worst_lines(const KernelProfile& kernel,
                                    const std::function<double(const LineProfile&)>& weight);

/// " at a.cu:14 and a.cu:16", or nothing.
std::string places(const std::vector<SourceSpot>& spots);

}  // namespace kp::diagnose

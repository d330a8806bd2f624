// SPDX-License-Identifier: Apache-2.0
// What changed between two versions of a kernel.
#pragma once
#include <string>

#include "base/result.h"

namespace kp::report {

/// A unified diff with three lines of context, made by diff(1); empty when the texts are equal.
/// kNotFound when there is no diff on this machine.
Result<std::string> unified_diff(const std::string& before, const std::string& after);

}  // namespace kp::report

// SPDX-License-Identifier: Apache-2.0
// What changed between two versions of a kernel.
#pragma once
#include <string>

#include "base/result.h"
#include "report/run_view.h"

namespace kp::report {

/// A unified diff with three lines of context, made by diff(1); empty when the texts are equal.
/// kNotFound when there is no diff on this machine.
Result<std::string> unified_diff(const std::string& before, const std::string& after);

/// The change from the source of its parent to that of `node`; empty when there is none to show:
/// equal sources, a root, no diff on this machine.
std::string change_of(const RunView& run, int node);

}  // namespace kp::report

// SPDX-License-Identifier: Apache-2.0
// What kind of win a version is, as far as its run knows.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "report/run_view.h"

namespace kp::suite {

/// "kernel": the same work, done better; "fusion": fewer launches of kernels; "launch": cheaper
/// ones; "precision": arithmetic with fewer bits or approximations; "algebraic": less work.
/// Follows from the actions on the way from the root to `node`, from the number of launches, and
/// from what the judge noted. Empty: unknown, or `node` is the baseline.
std::vector<std::string> win_labels(const report::RunView& run, int node);

/// The label of an action (diagnose/actions.h); empty when there is none.
std::string_view label_of_action(std::string_view action);

}  // namespace kp::suite

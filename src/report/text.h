// SPDX-License-Identifier: Apache-2.0
// Results as plain text for a terminal; no colours, no line longer than needed. Pure functions.
#pragma once
#include <string>

#include "model/evaluation.h"
#include "model/finding.h"
#include "report/run_view.h"

namespace kp::report {

/// What came of one candidate, several lines: outcome, times with their grade, errors against
/// gates, notes.
std::string text_of(const Evaluation& evaluation);
/// Class and reason, then each finding with what it saw, costs, and what to do.
std::string text_of(const Diagnosis& diagnosis);
/// The tree: one line a node with what came of it, ideas indented below their parent's; '*' marks
/// the best, '+' the nodes on the way to it.
std::string tree_text(const RunView& run);
/// Why a node was made, what came of it, what was found, what was predicted and
/// gained.
std::string explanation(const RunView& run, int node);

}  // namespace kp::report

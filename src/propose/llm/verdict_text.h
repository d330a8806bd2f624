// SPDX-License-Identifier: Apache-2.0
// What came of the parent, for a model: its time, or why it does not work.
#pragma once
#include <string>

#include "propose/proposer.h"

namespace kp::propose {

/// Empty when the request has no evaluation.
std::string verdict_text(const Request& request);

/// The parent's source in a fence.
std::string source_text(const Candidate& parent);

}  // namespace kp::propose

// SPDX-License-Identifier: Apache-2.0
// Unified diffs as models write them: line numbers and counts are often wrong, the context seldom.
#pragma once
#include <string>
#include <string_view>
#include <variant>

#include "propose/llm/reply.h"

namespace kp::propose {

bool looks_like_diff(std::string_view text);

/// The original with all hunks carried out. Each hunk goes where its context and removed lines
/// stand, at the place nearest to its line number; blanks at the ends of lines do not count.
std::variant<std::string, Fault> apply_diff(std::string_view original, std::string_view diff);

}  // namespace kp::propose

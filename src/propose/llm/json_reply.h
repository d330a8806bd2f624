// SPDX-License-Identifier: Apache-2.0
// Replies that wrap code in JSON, with whatever names their writers like for its members.
#pragma once
#include <string_view>
#include <vector>

#include "propose/llm/pieces.h"

namespace kp::propose {

/// Empty when the text is no JSON, or JSON without code.
std::vector<Piece> read_json_reply(std::string_view text);

}  // namespace kp::propose

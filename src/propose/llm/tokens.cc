// SPDX-License-Identifier: Apache-2.0
#include "propose/llm/tokens.h"

namespace kp::propose {

// In halves, so that no rounding of floating point decides where a text is cut.
std::size_t estimate_tokens(std::string_view text) { return (2 * text.size() + 6) / 7; }
std::size_t bytes_of_tokens(std::size_t tokens) { return tokens * 7 / 2; }

}  // namespace kp::propose

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string_view>

namespace kp::propose {

/// How many tokens a text costs, without a tokenizer: bytes / 3.5, rounded up. English prose takes
/// about 4 bytes a token and CUDA about 3; a prompt is a mixture of both.
std::size_t estimate_tokens(std::string_view text);
/// The most bytes that are estimated at `tokens`.
std::size_t bytes_of_tokens(std::size_t tokens);

}  // namespace kp::propose

// SPDX-License-Identifier: Apache-2.0
// A file in pieces that are found and shown alone: a declaration, or a few small ones.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace kp::codesearch {

constexpr int kMostChunkLines = 100;
constexpr std::size_t kMostChunkBytes = 12u << 10;

struct Chunk {
  int first_line = 0, last_line = 0;  // from 1, both included
  std::vector<std::string> symbols;   // defined here, each once
  std::string_view body;              // into the text
};

/// Every line once and in order, but for a licence at the top. At most kMostChunkLines lines and
/// kMostChunkBytes a piece; a single line that is longer is a piece of its own.
std::vector<Chunk> chunks_of(std::string_view path, std::string_view text);

}  // namespace kp::codesearch

// SPDX-License-Identifier: Apache-2.0
#include "codesearch/excerpt.h"

#include <bit>
#include <cstdint>
#include <vector>

#include "base/text.h"
#include "codesearch/words.h"

namespace kp::codesearch {
namespace {

constexpr std::size_t kMostExcerptLines = 16;

/// Which of the query's words stand in the line, one bit each; the query has at most 32.
std::uint32_t words_in(std::string_view line, const Query& query) {
  const std::string small = lower(line);
  std::uint32_t found = 0;
  for (std::size_t i = 0; i < query.words.size(); ++i) {
    if (small.find(query.words[i]) != std::string::npos) found |= 1u << i;
  }
  return found;
}

/// Shortened to whole characters.
std::string_view head_of(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0u) == 0x80u) --bytes;
  return text.substr(0, bytes);
}

/// From line `first`: how many lines fit, and which words they hold.
struct Window {
  std::size_t lines = 0;
  int words = 0;
};

Window window_at(const std::vector<std::string_view>& lines,
                 const std::vector<std::uint32_t>& found, std::size_t first) {
  Window window;
  std::size_t bytes = 0;
  std::uint32_t words = 0;
  for (std::size_t i = first; i < lines.size() && window.lines < kMostExcerptLines; ++i) {
    bytes += lines[i].size() + 1;
    if (bytes > kMostExcerptBytes) break;
    words |= found[i];
    ++window.lines;
  }
  window.words = std::popcount(words);
  return window;
}

}  // namespace

Excerpt excerpt_of(std::string_view body, const Query& query) {
  const auto lines = split_lines(body);
  std::vector<std::uint32_t> found;
  for (const std::string_view line : lines) found.push_back(words_in(line, query));
  std::size_t best = 0;
  Window most;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    // A window that begins where nothing was found says less than one that begins later.
    if (found[i] == 0 && most.lines > 0) continue;
    const Window window = window_at(lines, found, i);
    if (window.words > most.words || most.lines == 0) best = i, most = window;
  }
  Excerpt excerpt{static_cast<int>(best), {}};
  for (std::size_t i = best; i < best + most.lines; ++i) (excerpt.text += lines[i]) += '\n';
  if (most.lines == 0 && !lines.empty())
    excerpt.text = std::string(head_of(lines[best], kMostExcerptBytes - 1)) + '\n';
  return excerpt;
}

}  // namespace kp::codesearch

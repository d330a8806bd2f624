// SPDX-License-Identifier: Apache-2.0
#include "codesearch/chunk.h"

#include <algorithm>

#include "base/text.h"
#include "codesearch/outline.h"

namespace kp::codesearch {
namespace {

// A declaration of fewer lines shares its piece with the next: a piece is read with what is around.
constexpr int kFewestChunkLines = 24;
constexpr std::size_t kMostSymbols = 64;

/// Of C++ or Python; a directive such as #include is none.
bool is_remark(std::string_view line) {
  const std::string_view code = trim(line);
  return code.starts_with("//") || code.starts_with("/*") || code.starts_with('*') ||
         code.starts_with("# ") || code == "#";
}

/// Behind the block comment with which a text begins; 0 without one.
std::size_t end_of_first_comment(std::string_view text) {
  if (!trim(text).starts_with("/*")) return 0;
  const std::size_t close = text.find("*/");
  return close == std::string_view::npos ? 0 : close + 2;
}

class Splitter {
 public:
  Splitter(std::string_view path, std::string_view text)
      : text_(text), lines_(split_lines(text)), outline_(outline_of(path, text)) {
    // split_lines drops the ends: a line runs from its own begin to that of the next.
    for (const std::string_view line : lines_)
      begins_.push_back(static_cast<std::size_t>(line.data() - text.data()));
    begins_.push_back(text.size());
    for (int& start : outline_.starts) start = with_remarks_above(start);
  }

  std::vector<Chunk> split() {
    std::vector<Chunk> chunks;
    for (int first = after_licence(); first <= count();) {
      const int next = end_of(first);
      Chunk chunk{first, next - 1, symbols_in(first, next), body(first, next)};
      if (!trim(chunk.body).empty()) chunks.push_back(std::move(chunk));
      first = next;
    }
    return chunks;
  }

 private:
  int count() const { return static_cast<int>(lines_.size()); }
  std::string_view line(int number) const { return lines_[static_cast<std::size_t>(number - 1)]; }
  std::size_t offset(int number) const { return begins_[static_cast<std::size_t>(number - 1)]; }
  std::string_view body(int first, int next) const {
    return text_.substr(offset(first), offset(next) - offset(first));
  }

  int with_remarks_above(int start) const {
    while (start > 1 && is_remark(line(start - 1))) --start;
    return start;
  }

  /// Banners say the same in every file.
  int after_licence() const {
    const std::size_t comment = end_of_first_comment(text_);
    int number = 1;
    while (number <= count() && (offset(number) < comment || is_remark(line(number)))) ++number;
    const std::string_view head = body(1, number);
    const bool licence = head.find("Copyright") != head.npos || head.find("SPDX") != head.npos;
    return licence ? number : 1;
  }

  /// Behind the last line that fits.
  int limit_of(int first) const {
    int next = first + 1;
    while (next <= count() && next - first < kMostChunkLines &&
           offset(next + 1) - offset(first) <= kMostChunkBytes)
      ++next;
    return next;
  }

  int end_of(int first) const {
    const int limit = limit_of(first);
    const auto& starts = outline_.starts;
    const auto start = std::lower_bound(starts.begin(), starts.end(), first + kFewestChunkLines);
    if (start != starts.end() && *start <= limit) return *start;
    if (limit > count()) return limit;
    for (int number = limit; number > first + (limit - first) / 2; --number) {
      if (trim(line(number - 1)).empty()) return number;
    }
    return limit;
  }

  std::vector<std::string> symbols_in(int first, int next) const {
    std::vector<std::string> names;
    auto at = std::lower_bound(outline_.symbols.begin(), outline_.symbols.end(), first,
                               [](const Symbol& symbol, int line) { return symbol.line < line; });
    for (; at != outline_.symbols.end() && at->line < next && names.size() < kMostSymbols; ++at) {
      if (std::find(names.begin(), names.end(), at->name) == names.end()) names.push_back(at->name);
    }
    return names;
  }

  std::string_view text_;
  std::vector<std::string_view> lines_;
  std::vector<std::size_t> begins_;
  Outline outline_;
};

}  // namespace

std::vector<Chunk> chunks_of(std::string_view path, std::string_view text) {
  return Splitter(path, text).split();
}

}  // namespace kp::codesearch

// SPDX-License-Identifier: Apache-2.0
#include "report/wrap.h"

#include <algorithm>

#include "base/text.h"

namespace kp::report {
namespace {

constexpr std::size_t kWidestLabel = 32;  // a gap further right belongs to a sentence
constexpr std::size_t kLeastText = 24;    // columns that must remain beside labels

/// Where the text of a line begins: after its last gap of at least two spaces near the start,
/// or after the number of an item.
std::size_t text_column(std::string_view line) {
  std::size_t column = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t digits = line.find_first_not_of("0123456789", column);
  if (digits > column && line.substr(std::min(digits, line.size())).starts_with(". ")) {
    return digits + 2;
  }
  for (std::size_t gap = line.find("  ", column); gap < kWidestLabel; gap = line.find("  ", gap)) {
    gap = std::min(line.find_first_not_of(' ', gap), line.size());
    column = gap;
  }
  return column;
}

std::string wrapped_line(std::string_view line, std::size_t width) {
  const std::size_t indent = text_column(line);
  if (line.size() <= width || indent + kLeastText > width) return std::string(line);
  std::string out;
  std::size_t room = width, from = indent;  // no break before the text itself
  while (line.size() > room) {
    std::size_t space = line.rfind(' ', room);
    if (space == std::string_view::npos || space <= from) space = line.find(' ', room);
    if (space == std::string_view::npos) break;
    out += line.substr(0, space);
    out += "\n" + std::string(indent, ' ');
    line.remove_prefix(space + 1);
    room = width - indent;
    from = 0;
  }
  return out += line;
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t width) {
  std::string out;
  for (const std::string_view line : split(text, '\n')) {
    if (!out.empty() || line.data() != text.data()) out += '\n';
    out += wrapped_line(line, width);
  }
  return out;
}

}  // namespace kp::report

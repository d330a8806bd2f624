// SPDX-License-Identifier: Apache-2.0
#include "propose/edit.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/text.h"

namespace kp::propose {

void Edits::replace(std::size_t begin, std::size_t end, std::string text) {
  edits_.push_back({begin, end, std::move(text)});
}

std::string Edits::apply(std::string_view original) const {
  auto sorted = edits_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Edit& a, const Edit& b) {
    return std::pair(a.begin, a.begin != a.end) < std::pair(b.begin, b.begin != b.end);
  });
  std::string text;
  std::size_t copied = 0;
  for (const Edit& edit : sorted) {
    KP_CHECK(edit.begin >= copied && edit.end <= original.size(), "edits do not overlap");
    text.append(original.substr(copied, edit.begin - copied));
    text += edit.text;
    copied = edit.end;
  }
  text.append(original.substr(copied));
  return text;
}

std::string reindented(std::string_view text, std::size_t spaces) {
  const auto lines = split_lines(text);
  std::size_t least = std::string_view::npos;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::size_t first = lines[i].find_first_not_of(' ');
    if (first != std::string_view::npos && lines[i][first] != '#') least = std::min(least, first);
  }
  std::string moved;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t first = lines[i].find_first_not_of(' ');
    if (i > 0) moved += '\n';
    if (first == std::string_view::npos) continue;
    const bool margin = lines[i][first] == '#';
    const std::size_t extra = i == 0 || margin ? 0 : first - least;
    moved += std::string(margin ? 0 : spaces + extra, ' ');
    moved += lines[i].substr(first);
  }
  return moved;
}

}  // namespace kp::propose

// SPDX-License-Identifier: Apache-2.0
#include "propose/llm/sections.h"

#include <fmt/format.h>

#include <algorithm>

#include "propose/llm/tokens.h"

namespace kp::propose {
namespace {

constexpr std::size_t kNote = 40;  // bytes of the line that says what is missing

std::size_t total(const std::vector<Section>& sections) {
  std::size_t tokens = 0;
  for (const Section& section : sections) tokens += estimate_tokens(section.text);
  return tokens;
}

bool can_give(const Section& section) {
  return section.yields > 0 && estimate_tokens(section.text) > section.least;
}

/// The end of the last paragraph within `limit`, when that keeps most of it; else of the last line.
std::size_t place_to_cut(const std::string& text, std::size_t limit) {
  const auto paragraph = text.rfind("\n\n", limit);
  if (paragraph != std::string::npos && paragraph + 1 >= limit - limit / 4) return paragraph + 1;
  const auto line = text.rfind('\n', limit);
  return line == std::string::npos ? 0 : line + 1;
}

}  // namespace

std::string shortened(const std::string& text, std::size_t tokens) {
  const std::size_t bytes = bytes_of_tokens(tokens);
  if (text.size() <= bytes) return text;
  if (bytes <= kNote) return "";
  const std::size_t cut = place_to_cut(text, bytes - kNote);
  if (cut == 0) return "";
  const auto lines = std::count(text.begin() + static_cast<std::ptrdiff_t>(cut), text.end(), '\n');
  return fmt::format("{}[{} more lines left out]\n", text.substr(0, cut), lines);
}

void fit(std::vector<Section>& sections, std::size_t most) {
  std::vector<Section*> order;
  for (Section& section : sections) {
    if (can_give(section)) order.push_back(&section);
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const Section* a, const Section* b) { return a->yields > b->yields; });
  for (Section* section : order) {
    const std::size_t now = total(sections);
    if (now <= most) return;
    const std::size_t own = estimate_tokens(section->text);
    const std::size_t excess = std::min(now - most, own);
    section->text = shortened(section->text, std::max(section->least, own - excess));
  }
}

}  // namespace kp::propose

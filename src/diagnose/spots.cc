// SPDX-License-Identifier: Apache-2.0
#include "diagnose/spots.h"

#include <fmt/format.h>

#include <algorithm>

namespace kp::diagnose {
namespace {

constexpr std::size_t kMostSpots = 3;
constexpr double kLeastShare = 0.1;

}  // namespace

std::vector<SourceSpot> worst_lines(const KernelProfile& kernel,
                                    const std::function<double(const LineProfile&)>& weight) {
  std::vector<std::pair<double, const LineProfile*>> lines;
  double total = 0;
  for (const LineProfile& line : kernel.lines) {
    lines.emplace_back(weight(line), &line);
    total += lines.back().first;
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<SourceSpot> spots;
  for (const auto& [share, line] : lines) {
    if (spots.size() == kMostSpots || share <= 0 || share < kLeastShare * total) break;
    spots.push_back({line->file, line->line, 0});
  }
  return spots;
}

std::string places(const std::vector<SourceSpot>& spots) {
  std::string text;
  for (std::size_t i = 0; i < spots.size(); ++i) {
    const std::string_view before = i == 0 ? " at " : i + 1 == spots.size() ? " and " : ", ";
    text += fmt::format("{}{}", before, to_string(spots[i]));
  }
  return text;
}

}  // namespace kp::diagnose

// SPDX-License-Identifier: Apache-2.0
#include "report/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "stats/stats.h"

namespace kp::report {
namespace {

constexpr std::string_view kNoFinding = "(none)", kOwnIdea = "(own idea)";

std::string_view or_words(const std::string& name, std::string_view words) {
  return name.empty() ? words : std::string_view(name);
}

std::string row(std::span<const std::size_t> widths, std::span<const std::string> cells) {
  return fmt::format("{:<{}}  {:<{}}  {:>5}  {:>6}  {:>11}  {}\n", cells[0], widths[0], cells[1],
                     widths[1], cells[2], cells[3], cells[4], cells[5]);
}

std::vector<std::string> cells_of(const TriedLine& line) {
  return {std::string(or_words(line.finding, kNoFinding)),
          std::string(or_words(line.action, kOwnIdea)),
          std::to_string(line.tried),
          std::to_string(line.worked),
          line.median_gain ? fmt::format("{:.2f}x", *line.median_gain) : "-",
          line.last_lesson.empty() ? "-" : line.last_lesson};
}

}  // namespace

std::vector<TriedLine> tried_lines(std::span<const Experience> experiences) {
  std::map<std::pair<std::string, std::string>, std::pair<TriedLine, std::vector<double>>> groups;
  for (const Experience& one : experiences) {
    auto& [line, gains] = groups[{one.tool, one.action}];
    line.finding = one.tool;
    line.action = one.action;
    ++line.tried;
    if (one.outcome == "measured") ++line.worked;
    if (one.gain) gains.push_back(*one.gain);
    if (!one.lesson.empty()) line.last_lesson = one.lesson;
  }
  std::vector<TriedLine> lines;
  for (auto& [key, group] : groups) {
    auto& [line, gains] = group;
    if (!gains.empty()) line.median_gain = stats::median(gains);
    lines.push_back(std::move(line));
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const auto& a, const auto& b) { return a.tried > b.tried; });
  return lines;
}

std::string memory_text(std::span<const TriedLine> lines) {
  if (lines.empty()) return "nothing was tried yet";
  std::vector<std::vector<std::string>> table{
      {"finding", "action", "tried", "worked", "median gain", "last lesson"}};
  for (const TriedLine& line : lines) table.push_back(cells_of(line));
  std::size_t widths[2] = {};
  for (const auto& cells : table) {
    for (int i = 0; i < 2; ++i) widths[i] = std::max(widths[i], cells[i].size());
  }
  std::string text;
  for (const auto& cells : table) text += row(widths, cells);
  text.pop_back();
  return text;
}

nlohmann::json memory_json(std::span<const TriedLine> lines) {
  auto list = nlohmann::json::array();
  for (const TriedLine& line : lines) {
    list.push_back(
        {{"finding", line.finding},
         {"action", line.action},
         {"tried", line.tried},
         {"worked", line.worked},
         {"median_gain", line.median_gain ? nlohmann::json(*line.median_gain) : nlohmann::json()},
         {"last_lesson", line.last_lesson}});
  }
  return list;
}

}  // namespace kp::report

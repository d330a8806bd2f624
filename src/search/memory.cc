// SPDX-License-Identifier: Apache-2.0
#include "search/memory.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace kp::search {
namespace {

// Shares of the whole; findings weigh most, since prescriptions follow from them.
constexpr double kFindingsShare = 0.7, kBoundnessShare = 0.15, kTaskShare = 0.1,
                 kDeviceShare = 0.05;
// Below this an experience is about something else.
constexpr double kLeastLikeness = 0.25;
// A child that is this much faster or slower than its parent is another outcome than an equal one.
constexpr double kGained = 1.03;

/// The first finding counts 1, the second 1/2, the third 1/3, ...
std::map<std::string, double> weights_of(const std::vector<std::string>& findings) {
  std::map<std::string, double> weights;
  for (std::size_t rank = 0; rank < findings.size(); ++rank) {
    weights.emplace(findings[rank], 1.0 / static_cast<double>(rank + 1));
  }
  return weights;
}

/// Weighted Jaccard: the sum of the lesser weights over the sum of the greater.
double overlap(const std::vector<std::string>& left, const std::vector<std::string>& right) {
  const auto a = weights_of(left), b = weights_of(right);
  double common = 0, all = 0;
  for (const auto& [tool, weight] : a) {
    const auto other = b.find(tool);
    const double its = other == b.end() ? 0 : other->second;
    common += std::min(weight, its);
    all += std::max(weight, its);
  }
  for (const auto& [tool, weight] : b) {
    if (!a.contains(tool)) all += weight;
  }
  return all == 0 ? 1 : common / all;
}

/// What a reader would call the same lesson.
std::tuple<std::string, std::string, int> lesson_key(const Experience& experience) {
  const double gain = experience.gain.value_or(1);
  const int direction = gain >= kGained ? 1 : gain * kGained <= 1 ? -1 : 0;
  const std::string& what = experience.action.empty() ? experience.idea : experience.action;
  return {what, experience.outcome, direction};
}

bool told_elsewhere(const Situation& situation, const Experience& experience) {
  if (situation.run.empty() || experience.run != situation.run) return false;
  return experience.parent == situation.node || experience.node == situation.node;
}

double likeness(const Situation& situation, const Experience& experience, double findings) {
  return kFindingsShare * findings +
         kBoundnessShare * (situation.boundness == experience.boundness ? 1 : 0) +
         kTaskShare * (situation.task == experience.task ? 1 : 0) +
         kDeviceShare * (situation.device == experience.device ? 1 : 0);
}

}  // namespace

double likeness(const Situation& situation, const Experience& experience) {
  return likeness(situation, experience, overlap(situation.findings, experience.findings));
}

std::vector<Experience> recall(const Situation& situation, std::span<const Experience> experiences,
                               std::size_t most) {
  std::vector<std::pair<double, const Experience*>> ranked;
  // Thousands of experiences share a few hundred lists of findings.
  std::map<std::vector<std::string>, double> overlaps;
  for (const Experience& experience : experiences) {
    if (told_elsewhere(situation, experience)) continue;
    const auto [at, fresh] = overlaps.try_emplace(experience.findings, 0.0);
    if (fresh) at->second = overlap(situation.findings, experience.findings);
    const double alike = likeness(situation, experience, at->second);
    if (alike >= kLeastLikeness) ranked.emplace_back(alike, &experience);
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first
                              : a.second > b.second;  // later in the span: newer
  });
  std::vector<Experience> recalled;
  std::set<std::tuple<std::string, std::string, int>> known;
  for (const auto& [alike, experience] : ranked) {
    if (recalled.size() == most) break;
    if (known.insert(lesson_key(*experience)).second) recalled.push_back(*experience);
  }
  return recalled;
}

}  // namespace kp::search

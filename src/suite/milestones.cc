// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "suite/figures.h"

namespace kp::suite {
namespace {

/// One run after so many evaluations.
struct Stand {
  std::optional<double> speedup, seconds, dollars, tokens;
  std::optional<std::string> level;  // of the best so far
};

Stand stand_of(const RunResult& run, int evaluations) {
  Stand stand;
  for (const Point& point : run.points) {
    if (point.evaluation > evaluations) break;
    stand.seconds = point.seconds;
    stand.dollars = point.dollars;
    if (point.tokens) stand.tokens = static_cast<double>(*point.tokens);
    if (!point.speedup || *point.speedup <= stand.speedup.value_or(0)) continue;
    stand.speedup = point.speedup;
    stand.level = point.level;
  }
  return stand;
}

std::optional<double> median_of(const std::vector<Stand>& stands,
                                std::optional<double> Stand::*value) {
  std::vector<double> known;
  for (const Stand& stand : stands) {
    if (stand.*value) known.push_back(*(stand.*value));
  }
  return known.empty() ? std::nullopt : std::optional(stats::median(known));
}

std::optional<double> share_of(const std::vector<Stand>& stands, std::string_view level) {
  int known = 0, such = 0;
  for (const Stand& stand : stands) {
    known += stand.level.has_value();
    such += stand.level == level;
  }
  return known == 0 ? std::nullopt : std::optional(static_cast<double>(such) / known);
}

Milestone milestone(const std::vector<RunResult>& runs, int evaluations) {
  Milestone mark;
  mark.evaluations = evaluations;
  std::vector<Stand> stands;
  double logs = 0, solved = 0;
  for (const RunResult& run : runs) {
    mark.going += run.evaluations >= evaluations;
    stands.push_back(stand_of(run, evaluations));
    logs += std::log(stands.back().speedup.value_or(1));
    solved += stands.back().speedup.has_value();
  }
  const double count = static_cast<double>(runs.size());
  mark.speedup = std::exp(logs / count);
  mark.solved = solved / count;
  mark.seconds = median_of(stands, &Stand::seconds);
  mark.dollars = median_of(stands, &Stand::dollars);
  mark.tokens = median_of(stands, &Stand::tokens);
  mark.raw = share_of(stands, "raw");
  mark.cute = share_of(stands, "cute");
  mark.cutlass = share_of(stands, "cutlass");
  return mark;
}

}  // namespace

std::vector<Milestone> milestones_of(const std::vector<RunResult>& runs) {
  int most = 0;
  for (const RunResult& run : runs) most = std::max(most, run.evaluations);
  std::vector<Milestone> marks;
  for (int evaluations = 1; evaluations <= most; evaluations *= 2) {
    marks.push_back(milestone(runs, evaluations));
    if (evaluations < most && evaluations * 2 > most) marks.push_back(milestone(runs, most));
  }
  return marks;
}

}  // namespace kp::suite

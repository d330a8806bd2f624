// SPDX-License-Identifier: Apache-2.0
// What the runs of one arm come to on one kind of device. Pure functions.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "stats/suite_figures.h"
#include "suite/records.h"

namespace kp::suite {

inline constexpr std::array kFastP{0.0, 0.8, 1.0, 1.5, 2.0};
inline constexpr double kCap = 10;  // no run counts as more in the capped mean

struct Estimate {
  double value = 0;
  stats::Interval interval;  // 95 %, tasks drawn with replacement
};

/// Against one baseline, over the tasks for which it was timed.
struct AgainstBaseline {
  std::string baseline;  // "plan", "eager", "compile", "graph", "fastest"
  int tasks = 0;         // with this baseline; the rest of the figures are absent when 0
  std::vector<std::optional<Estimate>> fast;  // as kFastP
  std::optional<Estimate> failures_as_one, solved_only, capped;
};

struct RoofFigures {
  int runs = 0;                     // whose roof is known; the rest is absent when 0
  std::optional<double> fraction;   // geometric mean of the fraction of the roof that was reached
  std::optional<double> log_share;  // mean share of the logarithmic headroom that was won
  int log_share_runs = 0;           // whose baseline had headroom
};

/// Where the runs stood after so many evaluations; a run that had ended stays where it was.
struct Milestone {
  int evaluations = 0;
  int going = 0;                  // runs that judged so many
  std::optional<double> speedup;  // geometric mean of the best so far, at quick depth; 1 if none
  std::optional<double> solved;   // share of runs with a correct version
  std::optional<double> seconds;  // median work, of runs that know it
  std::optional<double> dollars;  // median cost; absent without models
  std::optional<double> tokens;   // median
  // Shares of the best versions so far, of runs whose level is known.
  std::optional<double> raw, cute, cutlass;

  /// Of GPU time in kernels of libraries: a plan launches what its own file defines.
  std::optional<double> library() const { return raw ? std::optional(0.0) : std::nullopt; }
};

/// Runs whose times may be averaged: one arm, one grade, one product.
struct Group {
  std::string arm;
  Grade grade = Grade::kModelled;
  std::string product;
  std::vector<RunResult> runs;
};
struct GroupFigures {
  Group group;
  int tasks = 0, solved = 0;  // solved: runs with a version that passed at full depth
  std::vector<AgainstBaseline> baselines;
  RoofFigures roof;
  std::vector<Milestone> milestones;
  std::vector<std::pair<std::string, int>> labels;  // runs that won something, by label
};

/// The speedup of the best of `run` over a baseline of that name: absent when the run has no best,
/// or the task no such time of the same grade.
std::optional<double> speedup_over(const RunResult& run, const std::string& baseline);

/// Of the times of a run.
Grade grade_of(const RunResult& run);

/// Times of one grade, device and arm each, in the order of their first run; what is in quarantine
/// is left out. Runs that found nothing belong to their device.
std::vector<Group> groups_of(const std::vector<RunResult>& results);
GroupFigures figures_of(Group group);

/// At 1, 2, 4, 8, ... evaluations and at the end of the longest run.
std::vector<Milestone> milestones_of(const std::vector<RunResult>& runs);

}  // namespace kp::suite

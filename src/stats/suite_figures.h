// SPDX-License-Identifier: Apache-2.0
// What many runs come to. Each task weighs the same: the runs of a task (its seeds) are averaged
// first. A run that failed has no speedup; it is not fast, and it counts as 1x where failures
// count. Means are kept as sums of logarithms, so that no product overflows.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "stats/bootstrap.h"

namespace kp::stats {

/// The speedups of the runs of one task, > 0; absent: the run failed.
using TaskSpeedups = std::vector<std::optional<double>>;

/// The share of runs that are correct and faster than `p`; NaN without runs. p = 0: those that are
/// correct.
double fast_p(std::span<const TaskSpeedups> tasks, double p);

struct MeanOptions {
  bool solved_only = false;   // leave failures out; they count as 1x otherwise
  std::optional<double> cap;  // no run counts as more than that
};
/// NaN without runs (without solved ones, where only those count).
double geometric_mean(std::span<const TaskSpeedups> tasks, const MeanOptions& options = {});

/// Of any figure over tasks: whole tasks are drawn, with all their runs.
template <class Figure>
Interval task_interval(std::span<const TaskSpeedups> tasks, Figure figure,
                       const Resampling& how = {}) {
  return percentile_bootstrap(
      tasks, how, [&](const std::vector<TaskSpeedups>& sample) { return figure(sample); });
}

/// ln(speedup) / ln(roof): 0 at the baseline, 1 at the roof, below 0 when it got slower. Absent
/// when the baseline is at the roof already (roof <= 1), or either is not > 0 and finite.
std::optional<double> headroom_share(double speedup, double roof);

}  // namespace kp::stats

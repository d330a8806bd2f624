// SPDX-License-Identifier: Apache-2.0
#include "stats/suite_figures.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kp::stats {
namespace {

/// The mean over tasks of the mean over their runs of what `value` makes of each; runs of which it
/// makes nothing are left out, and so are tasks without any other.
template <class Value>
double mean_over_tasks(std::span<const TaskSpeedups> tasks, Value value) {
  std::vector<double> means;
  for (const TaskSpeedups& runs : tasks) {
    std::vector<double> values;
    for (const auto& run : runs) {
      if (const std::optional<double> one = value(run)) values.push_back(*one);
    }
    if (!values.empty()) means.push_back(mean(values));
  }
  return mean(means);
}

}  // namespace

double fast_p(std::span<const TaskSpeedups> tasks, double p) {
  return mean_over_tasks(tasks, [p](const std::optional<double>& run) {
    return std::optional(run && *run > p ? 1.0 : 0.0);
  });
}

double geometric_mean(std::span<const TaskSpeedups> tasks, const MeanOptions& options) {
  const double most = options.cap.value_or(std::numeric_limits<double>::infinity());
  return std::exp(mean_over_tasks(tasks, [&](const std::optional<double>& run) {
    if (!run && options.solved_only) return std::optional<double>();
    return std::optional(std::log(std::min(run.value_or(1.0), most)));
  }));
}

std::optional<double> headroom_share(double speedup, double roof) {
  const bool usable = speedup > 0 && std::isfinite(speedup) && roof > 1 && std::isfinite(roof);
  if (!usable) return std::nullopt;
  return std::log(speedup) / std::log(roof);
}

}  // namespace kp::stats

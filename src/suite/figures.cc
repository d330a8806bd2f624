// SPDX-License-Identifier: Apache-2.0
#include "suite/figures.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace kp::suite {
namespace {

constexpr std::string_view kFastest = "fastest";
const std::vector<std::string> kBaselines = [] {
  std::vector<std::string> all{kOwnBaseline};
  all.insert(all.end(), kTorchModes.begin(), kTorchModes.end());
  all.emplace_back(kFastest);
  return all;
}();

std::optional<double> known(double value) {
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

/// Of the version's own class; the task's own baseline is where the search began, no rival.
const Yardstick* fastest_rival(const RunResult& run) {
  const Yardstick* fastest = nullptr;
  for (const Yardstick& one : run.yardsticks) {
    const bool rival = one.name != kOwnBaseline && one.precision == run.precision;
    if (rival && (!fastest || one.nanoseconds < fastest->nanoseconds)) fastest = &one;
  }
  return fastest;
}

const Yardstick* yardstick(const RunResult& run, const std::string& name) {
  if (name == kFastest) return fastest_rival(run);
  const auto found = std::find_if(run.yardsticks.begin(), run.yardsticks.end(),
                                  [&](const Yardstick& one) { return one.name == name; });
  return found == run.yardsticks.end() ? nullptr : &*found;
}

template <class Figure>
std::optional<Estimate> estimate(const std::vector<stats::TaskSpeedups>& tasks, Figure figure) {
  const double value = figure(std::span<const stats::TaskSpeedups>(tasks));
  if (std::isnan(value)) return std::nullopt;
  return Estimate{value, stats::task_interval(std::span<const stats::TaskSpeedups>(tasks), figure)};
}

/// By task, of those whose baseline was timed in any of their runs: failures count there too.
std::vector<stats::TaskSpeedups> speedups(const Group& group, const std::string& baseline) {
  std::map<std::string, stats::TaskSpeedups> by_task;
  std::map<std::string, bool> timed;
  for (const RunResult& run : group.runs) {
    const auto speedup = speedup_over(run, baseline);
    by_task[run.key.task].push_back(speedup);
    timed[run.key.task] |= yardstick(run, baseline) != nullptr;
  }
  std::vector<stats::TaskSpeedups> list;
  for (auto& [task, runs] : by_task) {
    if (timed[task]) list.push_back(std::move(runs));
  }
  return list;
}

AgainstBaseline against(const Group& group, const std::string& baseline) {
  const auto tasks = speedups(group, baseline);
  using Tasks = std::span<const stats::TaskSpeedups>;
  AgainstBaseline figures{baseline, static_cast<int>(tasks.size()), {}, {}, {}, {}};
  for (const double p : kFastP) {
    figures.fast.push_back(estimate(tasks, [p](Tasks t) { return stats::fast_p(t, p); }));
  }
  const auto mean = [&](stats::MeanOptions how) {
    return estimate(tasks, [how](Tasks t) { return stats::geometric_mean(t, how); });
  };
  figures.failures_as_one = mean({});
  figures.solved_only = mean({.solved_only = true});
  figures.capped = mean({.cap = kCap});
  return figures;
}

RoofFigures roof_of(const Group& group) {
  RoofFigures figures;
  std::vector<double> fractions, shares;
  for (const RunResult& run : group.runs) {
    if (!run.best || !run.best->headroom) continue;
    fractions.push_back(1 / *run.best->headroom);
    if (!run.best->speedup) continue;
    const double roof = *run.best->speedup * *run.best->headroom;
    if (const auto share = stats::headroom_share(*run.best->speedup, roof)) {
      shares.push_back(*share);
    }
  }
  figures.runs = static_cast<int>(fractions.size());
  figures.log_share_runs = static_cast<int>(shares.size());
  figures.fraction = known(stats::geometric_mean(fractions));
  figures.log_share = known(stats::mean(shares));
  return figures;
}

std::vector<std::pair<std::string, int>> labels_of(const Group& group) {
  std::map<std::string, int> counts;
  for (const RunResult& run : group.runs) {
    if (!run.best || run.best->node == 0) continue;
    for (const std::string& label : run.best->labels) ++counts[label];
    if (run.best->labels.empty()) ++counts["unknown"];
  }
  return {counts.begin(), counts.end()};
}

}  // namespace

std::optional<double> speedup_over(const RunResult& run, const std::string& baseline) {
  if (!run.best) return std::nullopt;
  if (baseline == kOwnBaseline) return run.best->speedup;
  const Yardstick* one = yardstick(run, baseline);
  if (!one || one->grade != run.best->grade) return std::nullopt;
  return one->nanoseconds / run.best->nanoseconds;
}

Grade grade_of(const RunResult& run) {
  if (run.best) return run.best->grade;
  for (const Yardstick& one : run.yardsticks) return one.grade;
  // A virtual device only ever models.
  return run.device.starts_with("vgpu") ? Grade::kModelled : Grade::kMeasured;
}

std::vector<Group> groups_of(const std::vector<RunResult>& results) {
  std::vector<Group> groups;
  for (const RunResult& run : results) {
    if (run.quarantined) continue;
    const Grade grade = grade_of(run);
    const auto same = [&](const Group& group) {
      return group.arm == run.key.arm && group.grade == grade && group.product == run.product;
    };
    auto found = std::find_if(groups.begin(), groups.end(), same);
    if (found == groups.end()) {
      found = groups.insert(groups.end(), {run.key.arm, grade, run.product, {}});
    }
    found->runs.push_back(run);
  }
  return groups;
}

GroupFigures figures_of(Group group) {
  GroupFigures figures;
  for (const std::string& baseline : kBaselines) {
    figures.baselines.push_back(against(group, baseline));
  }
  std::map<std::string, int> tasks;
  for (const RunResult& run : group.runs) {
    ++tasks[run.key.task];
    figures.solved += run.best.has_value();
  }
  figures.tasks = static_cast<int>(tasks.size());
  figures.roof = roof_of(group);
  figures.milestones = milestones_of(group.runs);
  figures.labels = labels_of(group);
  figures.group = std::move(group);
  return figures;
}

}  // namespace kp::suite

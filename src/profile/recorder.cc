// SPDX-License-Identifier: Apache-2.0
#include "profile/recorder.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <numeric>
#include <tuple>

#include "profile/metric_sets.h"
#include "profile/sass_census.h"

namespace kp::profile {
namespace {

// Counting repeats a launch some 20 times and takes about 0.5 s (H200): enough for those that a
// person reads about, and not for what takes next to no time.
constexpr std::size_t kMostCounted = 10;
constexpr double kLeastShare = 0.001;

/// Launches of one kernel with one shape, in order of time.
struct TraceGroup {
  std::vector<const TracedLaunch*> launches;
  double total = 0;  // ns

  const TracedLaunch& first() const { return *launches.front(); }
};

auto key_of(const TracedLaunch& launch) { return std::tie(launch.name, launch.grid, launch.block); }
double duration_of(const TracedLaunch& launch) { return launch.when.end - launch.when.start; }

/// The one that takes the most time first.
std::vector<TraceGroup> groups_of(const Trace& trace) {
  std::vector<const TracedLaunch*> launches;
  for (const TracedLaunch& launch : trace.launches) launches.push_back(&launch);
  std::ranges::stable_sort(launches, {}, [](const auto* launch) { return launch->when.start; });
  std::map<decltype(key_of(trace.launches.front())), std::size_t> places;
  std::vector<TraceGroup> groups;
  for (const TracedLaunch* launch : launches) {
    const auto [at, is_new] = places.try_emplace(key_of(*launch), groups.size());
    if (is_new) groups.emplace_back();
    groups[at->second].launches.push_back(launch);
    groups[at->second].total += duration_of(*launch);
  }
  std::ranges::stable_sort(groups, std::greater<>(), &TraceGroup::total);
  return groups;
}

double total_of(const std::vector<TraceGroup>& groups) {
  return std::accumulate(groups.begin(), groups.end(), 0.0,
                         [](double sum, const TraceGroup& group) { return sum + group.total; });
}

/// Which of its launches the library can count: those that no graph made, numbered as they come.
std::optional<std::size_t> countable(const TraceGroup& group) {
  std::vector<const TracedLaunch*> direct;
  std::ranges::copy_if(group.launches, std::back_inserter(direct),
                       [](const auto* launch) { return !launch->in_graph; });
  if (direct.empty()) return std::nullopt;
  std::vector<std::size_t> order(direct.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t at) { return duration_of(*direct[at]); });
  return order[(order.size() - 1) / 2];
}

struct Chosen {
  std::size_t group = 0;  // index in groups_of
  std::size_t launch = 0;
};
std::vector<Chosen> chosen(const std::vector<TraceGroup>& groups) {
  std::vector<Chosen> found;
  const double total = total_of(groups);
  for (std::size_t at = 0; at < groups.size() && found.size() < kMostCounted; ++at) {
    if (groups[at].total < kLeastShare * total) break;
    if (const auto launch = countable(groups[at])) found.push_back({at, *launch});
  }
  return found;
}

std::string demangled(const std::string& mangled) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? text.get() : mangled;
}

double product(const std::array<std::int64_t, 3>& sides) {
  return std::accumulate(sides.begin(), sides.end(), 1.0, [](double all, std::int64_t side) {
    return all * static_cast<double>(side);
  });
}

double median_of(const TraceGroup& group) {
  std::vector<double> durations;
  for (const TracedLaunch* launch : group.launches) durations.push_back(duration_of(*launch));
  const auto middle = durations.begin() + static_cast<long>((durations.size() - 1) / 2);
  std::ranges::nth_element(durations, middle);
  return *middle;
}

MetricSet metrics_of(const TraceGroup& group) {
  const TracedLaunch& launch = group.first();
  MetricSet metrics;
  metrics.set(metric::kDuration, median_of(group), Grade::kMeasured);
  metrics.set(metric::kGridSize, product(launch.grid), Grade::kStatic);
  metrics.set(metric::kBlockSize, product(launch.block), Grade::kStatic);
  metrics.set(metric::kRegisters, static_cast<double>(launch.registers), Grade::kStatic);
  metrics.set(metric::kSharedPerBlock,
              static_cast<double>(launch.static_shared + launch.dynamic_shared), Grade::kStatic);
  return metrics;
}

void add_notes(const Trace& trace, Recording& recording) {
  recording.notes = trace.notes;
  if (trace.dropped > 0) {
    recording.notes.push_back(
        fmt::format("{} records are missing: the program did more than is recorded; shares of time "
                    "are of the rest",
                    trace.dropped));
  }
  if (!trace.complete) {
    recording.notes.emplace_back(
        "the program was ended from outside: its last half second is missing");
  }
}

}  // namespace

Recording recording_of(const Trace& trace) {
  Recording recording{
      .source = "cupti", .device = trace.device, .architecture = trace.architecture};
  const std::vector<TraceGroup> groups = groups_of(trace);
  const double total = total_of(groups);
  for (const TraceGroup& group : groups) {
    RecordedKernel& kernel = recording.kernels.emplace_back();
    kernel.name = demangled(trace.names[static_cast<std::size_t>(group.first().name)]);
    kernel.launches = static_cast<std::int64_t>(group.launches.size());
    kernel.total_ns = group.total;
    kernel.profile.kernel = kernel.name;
    kernel.profile.share = total > 0 ? group.total / total : 0;
    kernel.profile.metrics = metrics_of(group);
  }
  recording.timeline = timeline_of(trace.activity);
  add_notes(trace, recording);
  return recording;
}

std::string count_request(const Trace& trace) {
  const std::vector<TraceGroup> groups = groups_of(trace);
  std::string kernels;
  for (const Chosen& one : chosen(groups)) {
    const TracedLaunch& launch = groups[one.group].first();
    kernels += fmt::format("k {} {} {} {}\n", one.launch, fmt::join(launch.grid, " "),
                           fmt::join(launch.block, " "),
                           trace.names[static_cast<std::size_t>(launch.name)]);
  }
  if (kernels.empty()) return {};
  std::string request;
  for (const MetricKey& key : full_metrics()) request += fmt::format("m {}\n", key.name);
  return request + kernels;
}

void add_counts(const Trace& trace, const Counts& counts, Recording& recording) {
  const std::vector<TraceGroup> groups = groups_of(trace);
  const std::vector<Chosen> wanted = chosen(groups);
  std::size_t missing = 0;
  for (std::size_t number = 0; number < wanted.size(); ++number) {
    const auto counted = counts.launches.find(static_cast<int>(number));
    if (counted == counts.launches.end() || counted->second.empty()) {
      ++missing;
      continue;
    }
    // The time under the profiler is longer than that of the launch itself.
    MetricSet& metrics = recording.kernels[wanted[number].group].profile.metrics;
    for (const auto& [name, value] : counted->second) {
      if (!metrics.find(name)) metrics.set(name, {value, Grade::kMeasured});
    }
  }
  recording.notes.insert(recording.notes.end(), counts.notes.begin(), counts.notes.end());
  if (missing > 0) {
    recording.notes.push_back(fmt::format(
        "{} of {} kernels were not counted: the program's second run did not launch them as the "
        "first did",
        missing, wanted.size()));
  }
}

void add_code(const Trace& trace, const std::vector<SassFunction>& functions,
              Recording& recording) {
  const std::vector<TraceGroup> groups = groups_of(trace);
  for (std::size_t at = 0; at < groups.size(); ++at) {
    const std::string& name = trace.names[static_cast<std::size_t>(groups[at].first().name)];
    // By its whole name: others may differ in template arguments alone.
    const auto found = std::ranges::find(functions, name, &SassFunction::name);
    if (found != functions.end()) add_census(*found, recording.kernels[at].profile.metrics);
  }
}

}  // namespace kp::profile

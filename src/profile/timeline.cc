// SPDX-License-Identifier: Apache-2.0
#include "profile/timeline.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace kp::profile {
namespace {

using Calls = std::vector<HostCall>;

bool is_launch(const HostCall& call) {
  return call.kind == HostCall::Kind::kLaunch || call.kind == HostCall::Kind::kGraphLaunch;
}
bool is_work_of_launch(const GpuWork& work) {
  return work.kind == GpuWork::Kind::kKernel || work.kind == GpuWork::Kind::kGraph;
}

/// Without the calls that another of the same thread and kind contains: the driver's, under the
/// runtime's.
Calls outermost(const Calls& calls) {
  Calls sorted = calls;
  const auto key = [](const HostCall& call) {
    return std::tuple(call.thread, call.kind, call.when.start, -call.when.end);
  };
  std::sort(sorted.begin(), sorted.end(),
            [&](const HostCall& a, const HostCall& b) { return key(a) < key(b); });
  Calls kept;
  for (const HostCall& call : sorted) {
    const bool inner = !kept.empty() && kept.back().thread == call.thread &&
                       kept.back().kind == call.kind && call.when.end <= kept.back().when.end;
    if (!inner) kept.push_back(call);
  }
  return kept;
}

/// When work was launched; by the start of the work itself where calls were not recorded.
std::vector<double> launch_times(const Activity& activity, const Calls& calls) {
  std::vector<double> times;
  for (const HostCall& call : calls) {
    if (is_launch(call)) times.push_back(call.when.start);
  }
  for (const GpuWork& work : activity.work) {
    if (times.size() == 0 && is_work_of_launch(work)) times.push_back(work.when.start);
  }
  std::sort(times.begin(), times.end());
  return times;
}

double end_of_warm_up(const Calls& calls, double latest) {
  double end = -std::numeric_limits<double>::infinity();
  for (const HostCall& call : calls) {
    const bool prepares =
        call.kind == HostCall::Kind::kAllocation || call.kind == HostCall::Kind::kSetUp;
    if (prepares && call.when.start < latest) end = std::max(end, call.when.start);
  }
  return end;
}

std::optional<Interval> window_of(const Activity& activity, const Calls& calls) {
  if (activity.marked) return activity.marked;
  const std::vector<double> launches = launch_times(activity, calls);
  if (launches.empty()) return std::nullopt;
  const double warm = end_of_warm_up(calls, launches[launches.size() / 2]);
  Interval window{*std::lower_bound(launches.begin(), launches.end(), warm), 0};
  for (const GpuWork& work : activity.work) window.end = std::max(window.end, work.when.end);
  return window;
}

/// Median duration; sorts its argument. 0 of nothing.
double median(std::vector<double>& values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

bool starts_in(const Interval& when, const Interval& window) {
  return when.start >= window.start && when.start < window.end;
}

void add_work(Timeline& timeline, const Activity& activity, const Interval& window) {
  std::vector<Interval> busy;
  std::vector<double> kernels;
  for (const GpuWork& work : activity.work) {
    const Interval inside{std::max(work.when.start, window.start),
                          std::min(work.when.end, window.end)};
    if (inside.end > inside.start) busy.push_back(inside);
    if (!starts_in(work.when, window)) continue;
    if (work.kind == GpuWork::Kind::kKernel) kernels.push_back(work.when.end - work.when.start);
    if (work.kind != GpuWork::Kind::kHostCopy) continue;
    ++timeline.copies;
    timeline.copy_ns += work.when.end - work.when.start;
    if (work.pageable) timeline.pageable_copy_bytes += work.bytes;
  }
  timeline.busy_ns = union_length(std::move(busy));
  timeline.launches = static_cast<std::int64_t>(kernels.size());
  timeline.median_kernel_ns = median(kernels);
}

void add_calls(Timeline& timeline, const Calls& calls, const Interval& window) {
  for (const HostCall& call : calls) {
    if (!starts_in(call.when, window)) continue;
    const double length = call.when.end - call.when.start;
    if (is_launch(call)) timeline.launch_api_ns += length;
    if (call.kind == HostCall::Kind::kGraphLaunch) ++timeline.graph_launches;
    if (call.kind == HostCall::Kind::kSync) {
      ++timeline.syncs;
      timeline.sync_ns += length;
    }
    if (call.kind == HostCall::Kind::kAllocation) {
      ++timeline.allocations;
      timeline.allocation_ns += length;
    }
  }
}

}  // namespace

std::optional<Interval> steady_window(const Activity& activity) {
  return window_of(activity, outermost(activity.calls));
}

std::optional<Timeline> timeline_of(const Activity& activity) {
  const Calls calls = outermost(activity.calls);
  const std::optional<Interval> window = window_of(activity, calls);
  if (!window || std::none_of(activity.work.begin(), activity.work.end(), [&](const GpuWork& work) {
        return is_work_of_launch(work) && starts_in(work.when, *window);
      }))
    return std::nullopt;
  Timeline timeline{.window_ns = window->end - window->start};
  add_work(timeline, activity, *window);
  add_calls(timeline, calls, *window);
  return timeline;
}

double union_length(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval& a, const Interval& b) { return a.start < b.start; });
  double length = 0;
  double covered = -std::numeric_limits<double>::infinity();
  for (const Interval& interval : intervals) {
    length += std::max(0.0, interval.end - std::max(interval.start, covered));
    covered = std::max(covered, interval.end);
  }
  return length;
}

}  // namespace kp::profile

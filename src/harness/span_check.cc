// SPDX-License-Identifier: Apache-2.0
#include "harness/span_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.h"
#include "harness/rig.h"
#include "stats/stats.h"

namespace kp::harness {
namespace {

using Checked = std::variant<std::string, Outcome>;

constexpr int kTraces = 5;  // odd: the median is one of them
constexpr double kLeastShare = 0.97;
// CUPTI and events read the same timer of the GPU, in steps of up to a microsecond.
constexpr double kResolutionNanoseconds = 1000;

std::vector<const device::BoundLaunch*> launches_of(std::span<const device::BoundStep> steps) {
  std::vector<const device::BoundLaunch*> launches;
  for (const device::BoundStep& step : steps) {
    if (const auto* launch = std::get_if<device::BoundLaunch>(&step)) launches.push_back(launch);
  }
  return launches;
}

bool same_launch(const device::BoundLaunch& launch, const device::TracedKernel& kernel) {
  return launch.kernel == kernel.name && std::ranges::equal(launch.shape.grid, kernel.grid) &&
         std::ranges::equal(launch.shape.block, kernel.block);
}

std::string spelled(const std::uint32_t (&size)[3]) {
  return fmt::format("{} x {} x {}", size[0], size[1], size[2]);
}

Rejected other_kernel(const device::BoundLaunch& launch, const device::TracedKernel& kernel) {
  return {"launches",
          fmt::format("the plan launches {} (grid {}, block {}), CUPTI saw {} (grid {}, block {})",
                      launch.kernel, spelled(launch.shape.grid), spelled(launch.shape.block),
                      kernel.name, spelled(kernel.grid), spelled(kernel.block))};
}

/// From the start of the first kernel to the end of the last, whichever that is.
double span_of(const device::TraceReport& trace) {
  double first = trace.kernels.empty() ? 0 : trace.kernels.front().start, last = first;
  for (const device::TracedKernel& kernel : trace.kernels) {
    first = std::min(first, kernel.start);
    last = std::max(last, kernel.end);
  }
  return last - first;
}

std::string not_done(const std::string& why) {
  return "events not compared with CUPTI's spans: " + why;
}

double middle(std::span<const device::TraceReport> traces,
              double (*value)(const device::TraceReport&)) {
  std::vector<double> values;
  for (const device::TraceReport& trace : traces) values.push_back(value(trace));
  return stats::median(values);
}

double event_of(const device::TraceReport& trace) { return trace.event_nanoseconds; }

}  // namespace

std::optional<Rejected> contradiction(std::span<const device::BoundStep> steps,
                                      const device::TraceReport& trace) {
  const auto launches = launches_of(steps);
  for (std::size_t i = 0; i < std::min(launches.size(), trace.kernels.size()); ++i) {
    if (!same_launch(*launches[i], trace.kernels[i]))
      return other_kernel(*launches[i], trace.kernels[i]);
  }
  if (launches.size() != trace.kernels.size()) {
    return Rejected{"launches", fmt::format("the plan launches {} kernels, CUPTI saw {}",
                                            launches.size(), trace.kernels.size())};
  }
  const double span = span_of(trace);
  if (trace.event_nanoseconds + kResolutionNanoseconds >= kLeastShare * span) return {};
  return Rejected{
      "span", fmt::format("events around the launches are {} apart, CUPTI saw the "
                          "kernels run for {}",
                          format_duration_ns(trace.event_nanoseconds), format_duration_ns(span))};
}

Result<Checked> check_span(const SpanRequest& request) {
  std::vector<device::TraceReport> traces;
  for (int i = 0; i < kTraces; ++i) {
    auto traced = request.hardware.observer().trace(
        request.loaded, {.steps = request.steps, .deadline_seconds = request.deadline_seconds});
    if (!traced) return Checked(not_done(traced.error().message));
    if (auto bad = outcome_of(traced->mishap)) return Checked(*std::move(bad));
    // CUPTI may lose a record, and a lost one is no evidence.
    if (traced->kernels.size() < launches_of(request.steps).size())
      return Checked(not_done(fmt::format("it recorded {} of {} kernels", traced->kernels.size(),
                                          launches_of(request.steps).size())));
    traces.push_back(*std::move(traced));
  }
  int against = 0;
  std::optional<Rejected> rejected;
  for (const device::TraceReport& trace : traces) {
    auto found = contradiction(request.steps, trace);
    // Other kernels once are enough; times disagree only when most of them do.
    if (found && found->rule == "launches") return Checked(Outcome(*std::move(found)));
    if (found) ++against, rejected = std::move(found);
  }
  if (2 * against > kTraces) {
    rejected->reason +=
        fmt::format(" (workload {}, {} of {} runs)", request.workload, against, kTraces);
    return Checked(Outcome(*std::move(rejected)));
  }
  return Checked(fmt::format("{}: CUPTI saw {} over {} kernels, events {}", request.workload,
                             format_duration_ns(middle(traces, span_of)),
                             traces.front().kernels.size(),
                             format_duration_ns(middle(traces, event_of))));
}

}  // namespace kp::harness

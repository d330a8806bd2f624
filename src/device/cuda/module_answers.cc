// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/module_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "device/cuda/members.h"
#include "stats/stats.h"

namespace kp::device::cuda {
namespace {

using Json = nlohmann::json;

std::vector<double> sums_by_run(const std::vector<std::vector<double>>& times) {
  std::vector<double> sums(times.front().size());
  for (const std::vector<double>& step : times) {
    for (std::size_t run = 0; run < sums.size(); ++run) sums[run] += step[run];
  }
  return sums;
}

std::optional<TracedKernel> traced_kernel_from(const Json& json) {
  TracedKernel kernel;
  const auto name = text_member(json, "name");
  const auto grid = numbers_member<std::uint32_t>(json, "grid");
  const auto block = numbers_member<std::uint32_t>(json, "block");
  const Json* start = find_member(json, "start");
  const Json* end = find_member(json, "end");
  const bool whole = name && grid && block && grid->size() == 3 && block->size() == 3 && start &&
                     end && is_duration(*start) && is_duration(*end);
  if (!whole) return {};
  std::ranges::copy(*grid, kernel.grid);
  std::ranges::copy(*block, kernel.block);
  kernel.name = *name;
  kernel.start = start->get<double>();
  kernel.end = end->get<double>();
  return kernel;
}

}  // namespace

bool is_duration(const Json& value) {
  return value.is_number() && std::isfinite(value.get<double>()) && value.get<double>() >= 0;
}

Mishap garbage(std::string_view verb) {
  return Crashed{
      .fault = FaultKind::kTrap,
      .message = fmt::format("its process answered `{}` with numbers that do not fit", verb),
      .kernel = {},
      .spot = {}};
}

std::vector<std::vector<double>> times_from(const Json& body, std::size_t steps) {
  std::vector<std::vector<double>> times;
  const auto found = body.find("steps");
  if (found == body.end() || !found->is_array() || found->size() != steps) return {};
  for (const Json& runs : *found) {
    if (!runs.is_array() || runs.empty() || runs.size() != found->front().size()) return {};
    std::vector<double>& step = times.emplace_back();
    for (const Json& time : runs) {
      if (!is_duration(time)) return {};
      step.push_back(time.get<double>());
    }
  }
  return times;
}

TimeReport report_of(const std::vector<std::vector<double>>& times,
                     std::span<const BoundStep> steps) {
  const std::vector<double> sums = sums_by_run(times);
  const stats::Interval interval = stats::bootstrap_median(sums);
  TimeReport report{.nanoseconds = stats::median(sums),
                    .low = interval.low,
                    .high = interval.high,
                    .grade = Grade::kMeasured};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto* launch = std::get_if<BoundLaunch>(&steps[i]);
    if (launch == nullptr) continue;
    report.launches.push_back({.kernel = launch->kernel,
                               .step = static_cast<int>(i),
                               .nanoseconds = stats::median(times[i])});
  }
  return report;
}

std::vector<LapTime> laps_from(const Json& body, std::size_t count) {
  std::vector<LapTime> laps;
  const auto found = body.find("laps");
  if (found == body.end() || !found->is_array() || found->size() != count) return {};
  for (const Json& lap : *found) {
    if (!lap.is_array() || lap.size() != 2 || !is_duration(lap[0])) return {};
    LapTime& time = laps.emplace_back(LapTime{.nanoseconds = lap[0].get<double>()});
    if (is_duration(lap[1])) time.sm_hz = lap[1].get<double>();
  }
  return laps;
}

std::optional<std::vector<LaunchReport>> counts_from(const Json& body,
                                                     std::span<const BoundStep> steps) {
  std::vector<LaunchReport> launches;
  const auto found = body.find("launches");
  if (found == body.end() || !found->is_array()) return {};
  auto next = found->begin();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto* launch = std::get_if<BoundLaunch>(&steps[i]);
    if (launch == nullptr) continue;
    if (next == found->end() || !next->is_object()) return {};
    LaunchReport& report =
        launches.emplace_back(LaunchReport{.kernel = launch->kernel, .step = static_cast<int>(i)});
    const Json metrics = (next++)->value("metrics", Json::object());
    for (const auto& [name, value] : metrics.items()) {
      if (value.is_number() && std::isfinite(value.get<double>()))
        report.metrics.set(name, Metric{value.get<double>(), Grade::kMeasured});
    }
    report.nanoseconds = report.metrics.get(metric::kDuration).value_or(0);
  }
  return next == found->end() ? std::optional(std::move(launches)) : std::nullopt;
}

std::optional<TraceReport> trace_from(const Json& body) {
  TraceReport report;
  const auto list = list_member(body, "kernels");
  const Json* event = find_member(body, "event_ns");
  if (!list || event == nullptr || !is_duration(*event)) return {};
  report.event_nanoseconds = event->get<double>();
  for (const Json& json : **list) {
    auto kernel = traced_kernel_from(json);
    if (!kernel) return {};
    report.kernels.push_back(*std::move(kernel));
  }
  return report;
}

}  // namespace kp::device::cuda

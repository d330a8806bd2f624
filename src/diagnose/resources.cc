// SPDX-License-Identifier: Apache-2.0
#include "diagnose/resources.h"

#include <algorithm>
#include <cmath>

namespace kp::diagnose {
namespace {

constexpr std::array<MetricKey, kResources + 1> kComponents{
    metric::kModelDram, metric::kModelL2,      metric::kModelL1, metric::kModelIssue,
    metric::kModelPipe, metric::kModelLatency, metric::kDuration};

// Throughputs in % of peak that stand in for the components; issue and pipes are derived.
constexpr std::array<MetricKey, 5> kThroughputs{metric::kDramPct, metric::kL2Pct, metric::kL1Pct,
                                                metric::kIssueActive, metric::kComputePct};
constexpr double kPercent = 100;
constexpr double kLatencyBelow = 60;  // % of peak; as the gate draws the line

std::optional<ResourceTimes> from_model(const KernelProfile& kernel) {
  ResourceTimes times;
  for (std::size_t i = 0; i < kResources; ++i) {
    const std::optional<double> alone = kernel.metrics.get(kComponents[i]);
    if (!alone) return std::nullopt;
    times.alone[i] = *alone;
  }
  const std::optional<double> total = kernel.metrics.get(metric::kDuration);
  if (!total || *total <= 0) return std::nullopt;
  times.total = std::max(*total, times.of(times.longest()));
  return times;
}

std::optional<ResourceTimes> from_throughputs(const KernelProfile& kernel) {
  std::array<double, kThroughputs.size()> percent{};
  for (std::size_t i = 0; i < percent.size(); ++i) {
    const std::optional<double> value = kernel.metrics.get(kThroughputs[i]);
    if (!value) return std::nullopt;
    percent[i] = *value;
  }
  const auto [dram, l2, l1, issue, compute] = percent;
  ResourceTimes times{{dram, l2, l1, issue * kPercent, compute, 0}, kPercent};
  if (times.of(times.longest()) < kLatencyBelow) times.alone.back() = kPercent;
  return times;
}

}  // namespace

std::string_view name_of(Resource resource) {
  switch (resource) {
    case Resource::kDram:
      return "DRAM";
    case Resource::kL2:
      return "L2";
    case Resource::kL1:
      return "L1 and shared memory";
    case Resource::kIssue:
      return "issue slots";
    case Resource::kPipe:
      return "arithmetic pipes";
    case Resource::kLatency:
      return "latency";
  }
  return "latency";
}

Resource ResourceTimes::longest() const {
  return static_cast<Resource>(std::max_element(alone.begin(), alone.end()) - alone.begin());
}

std::optional<ResourceTimes> resource_times(const KernelProfile& kernel, const DeviceSpec& device) {
  std::optional<ResourceTimes> times = from_model(kernel);
  if (!times) times = from_throughputs(kernel);
  const auto overlap = device.model.find("overlap_exponent");
  if (times && overlap != device.model.end()) times->overlap = overlap->second;
  return times;
}

MetricKey missing_throughput(const KernelProfile& kernel) {
  for (const MetricKey& key : kThroughputs) {
    if (!kernel.metrics.get(key)) return key;
  }
  return metric::kDuration;
}

double share_won(const ResourceTimes& times, const Relief& relief) {
  const std::array<double, kResources> factors{relief.dram,  relief.l2,   relief.l1,
                                               relief.issue, relief.pipe, relief.latency};
  // Relative to the longest, so that powers stay in range.
  const double longest = times.of(times.longest());
  if (longest <= 0) return 0;
  double before = 0, after = 0;
  for (std::size_t i = 0; i < kResources; ++i) {
    const double alone = times.alone[i] / longest;
    before += std::pow(alone, times.overlap);
    after += std::pow(alone * factors[i], times.overlap);
  }
  const double won = std::pow(before, 1 / times.overlap) - std::pow(after, 1 / times.overlap);
  return std::clamp(won * longest / times.total, 0.0, 1.0);
}

Grade grade_with_times(const KernelProfile& kernel, std::span<const MetricKey> used) {
  const std::span<const MetricKey> times =
      from_model(kernel) ? std::span<const MetricKey>(kComponents) : kThroughputs;
  return std::max(weakest_grade(kernel, used), weakest_grade(kernel, times));
}

}  // namespace kp::diagnose

// SPDX-License-Identifier: Apache-2.0
#include "diagnose/resources.h"

#include <algorithm>
#include <cmath>

namespace kp::diagnose {
namespace {

constexpr std::array<MetricKey, kResources + 1> kComponents{
    metric::kModelDram, metric::kModelL2,      metric::kModelL1, metric::kModelIssue,
    metric::kModelPipe, metric::kModelLatency, metric::kDuration};

// Throughputs in % of peak that stand in for the components; issue is derived.
constexpr std::array<MetricKey, 4> kThroughputs{metric::kDramPct, metric::kL2Pct, metric::kL1Pct,
                                                metric::kIssueActive};
// The pipes, where they are known; sm__throughput also counts queues and ports of an SM.
constexpr std::array<MetricKey, 5> kPipes{metric::kFp32Pct, metric::kAluPct, metric::kFp64Pct,
                                          metric::kXuPct, metric::kTensorPct};
constexpr double kPercent = 100;
constexpr double kLatencyBelow = 60;  // % of peak; as the gate draws the line
constexpr double kBusyFrom = 80;      // % of peak that explains all of the time; as the gate does
constexpr double kJustLonger = 1.001;

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

/// The busiest arithmetic pipe in %; all of the SM where no pipe is known.
std::optional<double> busiest_pipe(const KernelProfile& kernel) {
  std::optional<double> busiest;
  for (const MetricKey& key : kPipes) {
    if (const auto percent = kernel.metrics.get(key)) {
      busiest = std::max(busiest.value_or(0), *percent);
    }
  }
  return busiest ? busiest : kernel.metrics.get(metric::kComputePct);
}

double norm(const ResourceTimes& times) {
  double sum = 0;
  for (const double alone : times.alone) sum += std::pow(alone / kPercent, times.overlap);
  return kPercent * std::pow(sum, 1 / times.overlap);
}

/// Latency is what the resources leave unexplained: all of that while none is busy, nothing once
/// one of them is.
double latency_of(const ResourceTimes& times) {
  const double longest = times.of(times.longest());
  const double explained = std::pow(std::min(1.0, norm(times) / kPercent), times.overlap);
  const double rest = kPercent * std::pow(1 - explained, 1 / times.overlap);
  if (longest < kLatencyBelow) return std::max(rest, kJustLonger * longest);
  return rest * std::clamp((kBusyFrom - longest) / (kBusyFrom - kLatencyBelow), 0.0, 1.0);
}

std::optional<ResourceTimes> from_throughputs(const KernelProfile& kernel, double overlap) {
  std::array<double, kThroughputs.size()> percent{};
  for (std::size_t i = 0; i < percent.size(); ++i) {
    const std::optional<double> value = kernel.metrics.get(kThroughputs[i]);
    if (!value) return std::nullopt;
    percent[i] = *value;
  }
  const std::optional<double> pipe = busiest_pipe(kernel);
  if (!pipe) return std::nullopt;
  const auto [dram, l2, l1, issue] = percent;
  ResourceTimes times{.alone = {dram, l2, l1, issue * kPercent, *pipe, 0}, .overlap = overlap};
  times.alone.back() = latency_of(times);
  times.total = norm(times);
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
  const auto found = device.model.find("overlap_exponent");
  const double overlap = found == device.model.end() ? ResourceTimes{}.overlap : found->second;
  std::optional<ResourceTimes> times = from_model(kernel);
  if (!times) return from_throughputs(kernel, overlap);
  times->overlap = overlap;
  return times;
}

MetricKey missing_throughput(const KernelProfile& kernel) {
  for (const MetricKey& key : kThroughputs) {
    if (!kernel.metrics.get(key)) return key;
  }
  return busiest_pipe(kernel) ? metric::kDuration : metric::kComputePct;
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

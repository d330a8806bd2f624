// SPDX-License-Identifier: Apache-2.0
// What bounds a run. Theory (work of the task against the device) decides between memory and
// compute, because measured memory throughput counts L1 and shared wavefronts too and calls a naive
// matrix product memory-bound. Latency and launch come from measurement alone: theory cannot see
// them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "diagnose/diagnose.h"
#include "diagnose/resources.h"
#include "diagnose/roof.h"

namespace kp::diagnose {
namespace {

// Speed-of-light rule, % of peak: as the SpeedOfLight section of Nsight Compute draws the lines.
constexpr double kLatencyBelow = 60;
constexpr double kHighFrom = 80;
constexpr double kClearLead = 10;
// A launch this short is dominated by its fixed costs unless a resource explains it, ns.
constexpr double kShortRun = 10e3;
constexpr double kExplained = 50;  // % of the time

/// Percent of peak of the arithmetic side and of the memory side.
struct SpeedOfLight {
  double compute = 0, memory = 0;
  double highest() const { return std::max(compute, memory); }
};

std::optional<SpeedOfLight> speed_of_light(const KernelProfile& kernel, const DeviceSpec& device) {
  const std::optional<double> compute = kernel.metrics.get(metric::kComputePct);
  const std::optional<double> memory = kernel.metrics.get(metric::kMemoryPct);
  if (compute && memory) return SpeedOfLight{*compute, *memory};
  const std::optional<ResourceTimes> times = resource_times(kernel, device);
  if (!times) return std::nullopt;
  const auto percent = [&](Resource resource) { return 100 * times->of(resource) / times->total; };
  return SpeedOfLight{
      std::max(percent(Resource::kIssue), percent(Resource::kPipe)),
      std::max({percent(Resource::kDram), percent(Resource::kL2), percent(Resource::kL1)})};
}

/// The mean over the kernels that know, by their share of the time.
std::optional<SpeedOfLight> speed_of_light(const Profile& profile, const DeviceSpec& device) {
  SpeedOfLight sum;
  double weight = 0;
  for (const KernelProfile& kernel : profile.kernels) {
    const std::optional<SpeedOfLight> one = speed_of_light(kernel, device);
    if (!one) continue;
    sum.compute += kernel.share * one->compute;
    sum.memory += kernel.share * one->memory;
    weight += kernel.share;
  }
  if (weight <= 0) return std::nullopt;
  return SpeedOfLight{sum.compute / weight, sum.memory / weight};
}

Boundness measured_class(const SpeedOfLight& sol) {
  if (sol.highest() < kLatencyBelow) return Boundness::kLatency;
  const Boundness higher = sol.compute > sol.memory ? Boundness::kCompute : Boundness::kMemory;
  if (sol.highest() >= kHighFrom) return higher;
  return std::abs(sol.compute - sol.memory) >= kClearLead ? higher : Boundness::kMixed;
}

/// FLOP per byte of the task and where the device balances.
struct Theory {
  double intensity = 0, ridge = 0;
  Boundness boundness() const {
    return intensity < ridge ? Boundness::kMemory : Boundness::kCompute;
  }
};

std::optional<Theory> theory_of(const Floor& floor, const DeviceSpec& device) {
  const std::optional<double> intensity = floor.intensity();
  const std::optional<double> peak = peak_flops(floor, device);
  if (!intensity || !peak) return std::nullopt;
  return Theory{*intensity, *peak / device.dram_sustained};
}

bool launch_bound(const Profile& profile, const std::optional<SpeedOfLight>& sol) {
  const std::optional<double> time = total_of(profile, metric::kDuration);
  return time && *time < kShortRun && (!sol || sol->highest() < kExplained);
}

std::string explain(const std::optional<Theory>& theory, const std::optional<SpeedOfLight>& sol) {
  std::vector<std::string> parts;
  if (theory) {
    parts.push_back(fmt::format("the work has {:.3g} FLOP/byte against a ridge of {:.3g} FLOP/byte",
                                theory->intensity, theory->ridge));
  } else {
    parts.push_back("the task does not state its FLOP");
  }
  if (sol) {
    parts.push_back(fmt::format("compute reaches {:.0f} % and memory {:.0f} % of peak",
                                sol->compute, sol->memory));
  } else {
    parts.push_back("throughputs are unknown");
  }
  return join(parts, "; ");
}

}  // namespace

Gate classify(const Floor& floor, const Profile& profile, const DeviceSpec& device) {
  const std::optional<Theory> theory = theory_of(floor, device);
  const std::optional<SpeedOfLight> sol = speed_of_light(profile, device);
  const RoofStand stand = roof_stand(floor, profile, device);
  Gate gate{.at_roof = stand.at_roof, .headroom = stand.headroom};
  const Boundness measured = sol ? measured_class(*sol) : Boundness::kMixed;
  if (!gate.at_roof && launch_bound(profile, sol)) {
    gate.boundness = Boundness::kLaunch;
  } else if (!gate.at_roof && measured == Boundness::kLatency) {
    gate.boundness = Boundness::kLatency;
  } else {
    gate.boundness = theory ? theory->boundness() : measured;
  }
  gate.why = fmt::format("{}: {}", name_of(gate.boundness), explain(theory, sol));
  if (gate.boundness == Boundness::kLaunch) {
    gate.why += fmt::format("; the run takes only {}",
                            format_duration_ns(*total_of(profile, metric::kDuration)));
  }
  return gate;
}

}  // namespace kp::diagnose

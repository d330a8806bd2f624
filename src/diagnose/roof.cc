// SPDX-License-Identifier: Apache-2.0
#include "diagnose/roof.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/text.h"
#include "diagnose/access.h"
#include "diagnose/actions.h"

namespace kp::diagnose {
namespace {

// A run within this factor of its bound has nothing left that is worth a search.
constexpr double kNearBound = 1.15;
// The same for modelled times, which are 9 % above the H200 on a stream at the DRAM roof (copy_16b,
// docs/time-model.md).
constexpr double kNearBoundModelled = 1.25;
// Traffic up to this multiple of the compulsory bytes counts as compulsory.
constexpr double kNearCompulsory = 1.15;
// Share of the sustained bandwidth from which DRAM counts as saturated.
constexpr double kSaturated = 0.85;
// Below this share of the compulsory bytes, DRAM is not where the data comes from.
constexpr double kResident = 0.5;
// Share of the sectors from which local memory is worth a word.
constexpr double kFewLocal = 0.1;
// The time model's own constant for one launch, ns; the bound allows for one.
constexpr std::string_view kLaunchKey = "launch_overhead";

double launch_floor(const DeviceSpec& device) {
  const auto found = device.model.find(std::string(kLaunchKey));
  return found == device.model.end() ? 0 : found->second;
}

double seconds_to_ns(double seconds) { return seconds * kNanoseconds; }

/// Whether the time is what DRAM needs for `bytes`, and these are the compulsory ones as far as
/// anybody knows.
bool saturated(const Floor& floor, double bytes, double nanoseconds, const DeviceSpec& device) {
  const double least = seconds_to_ns(bytes / device.dram_sustained);
  const bool compulsory = floor.bytes <= 0 || bytes <= kNearCompulsory * floor.bytes;
  return compulsory && kSaturated * (nanoseconds - launch_floor(device)) <= least;
}

double near_bound(const Profile& profile) {
  const auto modelled = [](const KernelProfile& kernel) {
    const auto time = kernel.metrics.find(metric::kDuration.name);
    return time && time->grade == Grade::kModelled;
  };
  const bool any = std::any_of(profile.kernels.begin(), profile.kernels.end(), modelled);
  return any ? kNearBoundModelled : kNearBound;
}

/// Hardware counts no useful bytes of copies that pass by the registers: zero is unknown.
double useful(const KernelProfile& kernel, const MetricKey& key) {
  const double bytes = kernel.metrics.get(key).value_or(kPackedBytes);
  return bytes > 0 ? bytes : kPackedBytes;
}

bool packed(const KernelProfile& kernel) {
  return std::min(useful(kernel, metric::kLoadBytesPerSector),
                  useful(kernel, metric::kStoreBytesPerSector)) >= kPackedBytes;
}

/// Whether hardly any of the traffic is that of local memory.
bool no_spills(const KernelProfile& kernel) {
  const auto known = [&](const MetricKey& key) { return kernel.metrics.get(key).value_or(0); };
  const double local = known(metric::kLocalLoadSectors) + known(metric::kLocalStoreSectors);
  return local <= kFewLocal * (known(metric::kGlobalLoadSectors) +
                               known(metric::kGlobalStoreSectors) + local);
}

}  // namespace

std::optional<double> total_of(const Profile& profile, const MetricKey& key) {
  double total = 0;
  for (const KernelProfile& kernel : profile.kernels) {
    const std::optional<double> value = kernel.metrics.get(key);
    if (!value) return std::nullopt;
    total += *value;
  }
  if (profile.kernels.empty()) return std::nullopt;
  return total;
}

std::optional<double> dram_bytes(const Profile& profile) {
  const std::optional<double> read = total_of(profile, metric::kDramRead);
  const std::optional<double> written = total_of(profile, metric::kDramWrite);
  if (!read || !written) return std::nullopt;
  return *read + *written;
}

std::optional<double> peak_flops(const Floor& floor, const DeviceSpec& device) {
  if (!floor.contraction) {
    return floor.precision == Precision::kF64 ? device.scalar_flops_f64 : device.scalar_flops_f32;
  }
  const auto found = device.flops.find(floor.precision);
  if (found == device.flops.end()) return std::nullopt;
  return found->second;
}

namespace {

/// What was written may still be in the L2 when the counters stop; what is read had to come.
bool stays_in_l2(const Floor& floor, const Profile& profile) {
  if (!floor.written) return dram_bytes(profile).value_or(floor.bytes) < kResident * floor.bytes;
  const double inputs = floor.bytes - *floor.written;
  return total_of(profile, metric::kDramRead).value_or(inputs) < kResident * inputs;
}

}  // namespace

LowerBound lower_bound(const Floor& floor, const Profile& profile, const DeviceSpec& device) {
  const bool resident = stays_in_l2(floor, profile);
  const double bandwidth = resident ? device.l2_bandwidth : device.dram_sustained;
  LowerBound bound{seconds_to_ns(floor.bytes / bandwidth), resident ? "L2" : "DRAM"};
  const std::optional<double> peak = peak_flops(floor, device);
  if (!floor.flops || !peak) return bound;
  const double arithmetic = seconds_to_ns(*floor.flops / *peak);
  if (arithmetic > bound.nanoseconds) bound = {arithmetic, "arithmetic"};
  return bound;
}

RoofStand roof_stand(const Floor& floor, const Profile& profile, const DeviceSpec& device) {
  RoofStand stand{lower_bound(floor, profile, device)};
  const std::optional<double> time = total_of(profile, metric::kDuration);
  if (!time || *time <= 0 || stand.bound.nanoseconds <= 0) {
    stand.headroom = std::numeric_limits<double>::infinity();
    return stand;
  }
  const double reachable = stand.bound.nanoseconds + launch_floor(device);
  stand.headroom = std::max(1.0, *time / reachable);
  const std::optional<double> bytes = dram_bytes(profile);
  stand.at_roof = stand.headroom <= near_bound(profile) ||
                  (floor.bytes > 0 && bytes && saturated(floor, *bytes, *time, device));
  return stand;
}

bool kernel_at_roof(const Floor& floor, const KernelProfile& kernel, const DeviceSpec& device) {
  const Profile alone{.kernels = {kernel}};
  const std::optional<double> time = total_of(alone, metric::kDuration);
  const std::optional<double> bytes = dram_bytes(alone);
  return time && *time > 0 && bytes && packed(kernel) && no_spills(kernel) &&
         saturated(floor, *bytes, *time, device);
}

Finding roof_finding(const LowerBound& bound, const KernelProfile& kernel,
                     const DeviceSpec& device) {
  constexpr std::array kUsed{metric::kDuration, metric::kDramRead, metric::kDramWrite};
  Finding finding;
  finding.tool = "roof";
  finding.kernel = kernel.kernel;
  finding.grade = weakest_grade(kernel, kUsed);
  finding.prescriptions = {{std::string(action::kFuseOrNarrow), {}, {}}};
  const std::optional<double> bytes = dram_bytes({.kernels = {kernel}});
  const std::optional<double> time = kernel.metrics.get(metric::kDuration);
  std::string evidence;
  if (bytes && time && *time > 0 && bound.resource == "DRAM") {
    const double rate = *bytes / *time * kNanoseconds;
    evidence = fmt::format(": {} in {} is {}/s, {:.0f} % of the {}/s that this device sustains",
                           format_bytes(*bytes), format_duration_ns(*time), format_bytes(rate),
                           100 * rate / device.dram_sustained, format_bytes(device.dram_sustained));
  } else if (time) {
    evidence = fmt::format(": {} against a bound of {}", format_duration_ns(*time),
                           format_duration_ns(bound.nanoseconds));
  }
  finding.saw = fmt::format(
      "At the {} roof{}; only fusing it with neighbouring kernels or narrower types can help.",
      bound.resource, evidence);
  return finding;
}

}  // namespace kp::diagnose

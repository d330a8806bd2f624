// SPDX-License-Identifier: Apache-2.0
#include "profile/cupti.h"

#include <fmt/format.h>

#include <algorithm>

#include "device/launch_times.h"
#include "profile/metric_sets.h"
#include "profile/timeline.h"

namespace kp::profile {
namespace {

// A profile is a courtesy to the diagnosis: what takes longer is not waited for.
constexpr double kTriageSeconds = 30, kFullSeconds = 120;

/// Why launches that ran before did not while they were counted.
std::string text_of(const device::Mishap& mishap) {
  if (const auto* crash = std::get_if<Crashed>(&mishap)) return crash->message;
  const auto* late = std::get_if<TimedOut>(&mishap);
  return late == nullptr ? "" : fmt::format("took longer than {:.0f} s", late->limit);
}

bool is_time(std::string_view name) {
  return name == device::kLaunchStart.name || name == device::kLaunchEnd.name;
}

void add_counters(const device::CountReport& counted, Profile& profile) {
  for (KernelProfile& kernel : profile.kernels) {
    const auto launch =
        std::ranges::find(counted.launches, kernel.launch, &device::LaunchReport::step);
    if (launch == counted.launches.end()) continue;
    for (const auto& [name, value] : launch->metrics.all()) {
      if (!is_time(name) && !kernel.metrics.find(name)) kernel.metrics.set(name, value);
    }
  }
}

/// Of runs of several launches whose times are known.
std::optional<Timeline> timeline_of(const std::vector<device::LaunchReport>& launches) {
  Activity activity;
  for (const device::LaunchReport& launch : launches) {
    const auto start = launch.metrics.get(device::kLaunchStart);
    const auto end = launch.metrics.get(device::kLaunchEnd);
    if (!start || !end || *end < *start) return std::nullopt;
    activity.work.push_back({.kind = GpuWork::Kind::kKernel, .when = {*start, *end}});
  }
  return launches.size() < 2 ? std::nullopt : timeline_of(activity);
}

std::vector<MetricKey> wanted(const ProfileRequest& request, bool full) {
  const auto set = full ? full_metrics() : triage_metrics();
  std::vector<MetricKey> keys(set.begin(), set.end());
  const auto launches = std::ranges::count_if(request.steps, [](const device::BoundStep& step) {
    return std::holds_alternative<device::BoundLaunch>(step);
  });
  if (launches > 1) keys.insert(keys.end(), {device::kLaunchStart, device::kLaunchEnd});
  return keys;
}

class CuptiSource : public Source {
 public:
  std::string_view name() const override { return "cupti"; }
  bool serves(const device::Description& device) const override {
    return device.timing == Grade::kMeasured;
  }
  // A machine whose counters cannot be read still gives times and what the compiler says: that is a
  // note, not a failure.
  Result<void> collect(const ProfileRequest& request, Profile& profile) const override {
    if (request.hardware == nullptr || request.loaded == nullptr) return {};
    const bool full = request.effort == ProfileRequest::Effort::kFull;
    const std::vector<MetricKey> metrics = wanted(request, full);
    const auto counted = request.hardware->observer().count(
        *request.loaded, {.steps = request.steps,
                          .metrics = metrics,
                          .deadline_seconds = full ? kFullSeconds : kTriageSeconds});
    if (!counted) {
      profile.notes.push_back(counted.error().text());
    } else if (const std::string mishap = text_of(counted->mishap); !mishap.empty()) {
      profile.notes.push_back(fmt::format("counting ended early: {}", mishap));
    } else {
      add_counters(*counted, profile);
      if (!profile.timeline) profile.timeline = timeline_of(counted->launches);
    }
    return {};
  }
};

}  // namespace

std::unique_ptr<Source> cupti_source() { return std::make_unique<CuptiSource>(); }

}  // namespace kp::profile

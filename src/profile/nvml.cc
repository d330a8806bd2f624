// SPDX-License-Identifier: Apache-2.0
#include "profile/nvml.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace kp::profile {
namespace {

constexpr double kClockWindow = 0.005;  // s; the SM's own counters need a millisecond
// The energy counter steps every 100 ms (seen on an H200): two seconds keep that within 5 %.
constexpr double kEnergyWindow = 2.0, kLongestWindow = 10.0;
constexpr std::size_t kRunsPerLap = 1000;  // between one pair of events

bool energy_is_wanted() {
  const char* value = std::getenv("KERNELPRO_ENERGY");
  return value != nullptr && std::string_view(value) == "1";
}

struct Window {
  device::GpuState before, after;
  device::SeriesReport report;
  double runs = 0, seconds = 0;  // inside laps
};

/// The steps again and again for about `seconds`, with what they leave in the L2.
Result<Window> repeat(const ProfileRequest& request, double seconds) {
  const double once = std::max(request.timing.nanoseconds * 1e-9, 1e-6);
  const auto runs = static_cast<std::size_t>(std::max(1.0, seconds / once));
  device::Contender contender;
  contender.sets.emplace_back(request.steps.begin(), request.steps.end());
  std::vector<device::Lap> laps;
  for (std::size_t done = 0; done < runs; done += kRunsPerLap)
    laps.push_back({.sets = std::vector<int>(std::min(kRunsPerLap, runs - done), 0)});
  Window window{.before = request.hardware->state()};
  KP_TRY(window.report,
         request.hardware->series(*request.loaded, {.contenders = {&contender, 1},
                                                    .laps = laps,
                                                    .cold = false,
                                                    .deadline_seconds = 10 * kLongestWindow}));
  window.after = request.hardware->state();
  window.runs = static_cast<double>(runs);
  for (const device::LapTime& lap : window.report.laps) window.seconds += lap.nanoseconds * 1e-9;
  return window;
}

bool went_well(const Window& window) {
  return std::holds_alternative<std::monostate>(window.report.mishap) && window.seconds > 0;
}

void add_clock(const Window& window, Profile& profile) {
  const auto& laps = window.report.laps;
  if (laps.empty() || !laps.back().sm_hz) return;
  for (KernelProfile& kernel : profile.kernels) {
    if (!kernel.metrics.find(metric::kSmClock.name))
      kernel.metrics.set(metric::kSmClock, *laps.back().sm_hz, Grade::kMeasured);
  }
}

void add_energy(const Window& window, Profile& profile) {
  if (window.seconds < kEnergyWindow || !window.before.joules || !window.after.joules) return;
  // Of one launch alone; nothing tells how several would share it.
  if (profile.kernels.size() != 1) return;
  profile.kernels[0].metrics.set(
      kEnergy, (*window.after.joules - *window.before.joules) / window.runs, Grade::kMeasured);
}

class NvmlSource : public Source {
 public:
  std::string_view name() const override { return "nvml"; }
  bool serves(const device::Description& device) const override {
    return device.timing == Grade::kMeasured;
  }
  Result<void> collect(const ProfileRequest& request, Profile& profile) const override {
    const bool full = request.effort == ProfileRequest::Effort::kFull;
    if (!full || request.hardware == nullptr || request.loaded == nullptr) return {};
    // One run that takes longer than the window is repeated for nothing else.
    const bool energy = energy_is_wanted() && request.timing.nanoseconds * 1e-9 < kLongestWindow;
    KP_TRY(const Window window, repeat(request, energy ? 1.1 * kEnergyWindow : kClockWindow));
    if (!went_well(window)) return {};
    add_clock(window, profile);
    if (energy) add_energy(window, profile);
    return {};
  }
};

}  // namespace

std::unique_ptr<Source> nvml_source() { return std::make_unique<NvmlSource>(); }

}  // namespace kp::profile

// SPDX-License-Identifier: Apache-2.0
// The SQLite export of Nsight Systems: kernels by share of time, and the timeline of the steady
// state (timeline.h says which stretch that is).
#include <algorithm>
#include <map>
#include <tuple>

#include "profile/nsys_tables.h"
#include "profile/recording.h"

namespace kp::profile {
namespace {

using NsysGroup = std::vector<const NsysKernel*>;

/// Launches of one kernel with one shape.
std::vector<NsysGroup> groups_of(const std::vector<NsysKernel>& kernels) {
  std::map<std::tuple<std::string_view, std::array<std::int64_t, 3>, std::array<std::int64_t, 3>>,
           NsysGroup>
      groups;
  for (const NsysKernel& kernel : kernels)
    groups[{kernel.name, kernel.grid, kernel.block}].push_back(&kernel);
  std::vector<NsysGroup> listed;
  for (auto& [key, group] : groups) listed.push_back(std::move(group));
  return listed;
}

double length(const NsysKernel& kernel) { return kernel.when.end - kernel.when.start; }

double volume(const std::array<std::int64_t, 3>& shape) {
  return static_cast<double>(shape[0]) * static_cast<double>(shape[1]) *
         static_cast<double>(shape[2]);
}

/// The launch of median duration stands for its group, as where counters are read.
RecordedKernel recorded(NsysGroup group) {
  RecordedKernel kernel{.name = group.front()->name,
                        .launches = static_cast<std::int64_t>(group.size())};
  for (const NsysKernel* launch : group) kernel.total_ns += length(*launch);
  const auto middle = group.begin() + static_cast<std::ptrdiff_t>(group.size() / 2);
  std::nth_element(group.begin(), middle, group.end(),
                   [](const auto* a, const auto* b) { return length(*a) < length(*b); });
  const NsysKernel& launch = **middle;
  kernel.profile.kernel = kernel.name;
  MetricSet& metrics = kernel.profile.metrics;
  metrics.set(metric::kDuration, length(launch), Grade::kMeasured);
  metrics.set(metric::kGridSize, volume(launch.grid), Grade::kStatic);
  metrics.set(metric::kBlockSize, volume(launch.block), Grade::kStatic);
  metrics.set(metric::kRegisters, static_cast<double>(launch.registers), Grade::kStatic);
  metrics.set(metric::kSharedPerBlock, static_cast<double>(launch.shared), Grade::kStatic);
  return kernel;
}

void add_kernels(const std::vector<NsysKernel>& launches, Recording& recording) {
  double total = 0;
  for (NsysGroup& group : groups_of(launches)) {
    recording.kernels.push_back(recorded(std::move(group)));
    total += recording.kernels.back().total_ns;
  }
  for (RecordedKernel& kernel : recording.kernels)
    kernel.profile.share = total > 0 ? kernel.total_ns / total : 0;
  std::stable_sort(recording.kernels.begin(), recording.kernels.end(),
                   [](const auto& a, const auto& b) { return a.total_ns > b.total_ns; });
}

}  // namespace

Result<Recording> read_nsys_sqlite(const Path& file) {
  KP_TRY(auto database, Sqlite::open(file, Sqlite::Access::kRead).within(file.string()));
  KP_TRY_VOID(check_export(database).within(file.string()));
  KP_TRY(const auto launches, read_kernels(database).within(file.string()));
  KP_TRY(Activity activity, read_activity(database).within(file.string()));
  KP_TRY(const NsysGpu gpu, read_gpu(database).within(file.string()));
  for (const NsysKernel& launch : launches)
    activity.work.push_back({GpuWork::Kind::kKernel, launch.when});
  Recording recording{.source = "nsys", .device = gpu.product, .architecture = gpu.architecture};
  add_kernels(launches, recording);
  recording.timeline = timeline_of(activity);
  if (launches.empty()) recording.notes.emplace_back("the export holds no kernel");
  recording.notes.emplace_back("Nsight Systems reads no counters: times and launches alone");
  return recording;
}

}  // namespace kp::profile

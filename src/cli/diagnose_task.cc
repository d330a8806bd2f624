// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cli/diagnose.h"

namespace kp::cli {
namespace {

/// The floor of the workload that was profiled.
Result<diagnose::Floor> floor_of_profile(const Task& task, const Profile& profile) {
  const auto workload =
      std::find_if(task.workloads.begin(), task.workloads.end(),
                   [&](const Workload& one) { return one.name == profile.workload; });
  if (workload == task.workloads.end()) return diagnose::Floor{};
  return diagnose::floor_of(task, *workload);
}

}  // namespace

Result<Diagnosed> diagnose_task(const DiagnoseOptions& options) {
  KP_TRY(auto shop, open_workshop(options.candidate));
  KP_TRY(const auto judged, judge_source(shop, options.candidate, Depth::kQuick));
  const Measured* measured = judged.evaluation.measured();
  if (!judged.diagnosis || !measured) return Diagnosed{{}, {}, judged.evaluation};
  KP_TRY(const auto floor, floor_of_profile(shop.task(), measured->profile));
  return Diagnosed{diagnose::by_kernel(*judged.diagnosis, measured->profile, floor,
                                       shop.device->describe().spec),
                   {},
                   {}};
}

}  // namespace kp::cli

// SPDX-License-Identifier: Apache-2.0
#include "loop/session.h"

namespace kp::loop {
namespace {

const Workload* profiled(const Task& task, const Profile& profile) {
  for (const Workload& workload : task.workloads) {
    if (workload.name == profile.workload) return &workload;
  }
  return nullptr;
}

}  // namespace

Result<std::optional<Diagnosis>> diagnose_profile(const Task& task, const device::Device& device,
                                                  const Profile& profile,
                                                  const diagnose::TrackRecord& record) {
  const Workload* workload = profiled(task, profile);
  if (!workload) return std::optional<Diagnosis>{};
  KP_TRY(auto diagnosis,
         diagnose::diagnose(task, *workload, profile, device.describe().spec, record));
  return std::optional(std::move(diagnosis));
}

Result<Judged> judge_candidate(harness::Harness& harness, const device::Device& device,
                               const Candidate& candidate, Depth depth,
                               const diagnose::TrackRecord& record) {
  KP_TRY(auto evaluation, harness.evaluate(candidate, depth));
  Judged judged{std::move(evaluation), std::nullopt};
  if (const Measured* measured = judged.evaluation.measured()) {
    KP_TRY(judged.diagnosis, diagnose_profile(harness.task(), device, measured->profile, record));
  }
  return judged;
}

}  // namespace kp::loop

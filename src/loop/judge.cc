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

Result<Judged> judge_candidate(harness::Harness& harness, const device::Device& device,
                               const Candidate& candidate, Depth depth,
                               const diagnose::TrackRecord& record) {
  KP_TRY(auto evaluation, harness.evaluate(candidate, depth));
  Judged judged{std::move(evaluation), std::nullopt};
  const Measured* measured = judged.evaluation.measured();
  const Workload* workload = measured ? profiled(harness.task(), measured->profile) : nullptr;
  if (workload) {
    KP_TRY(judged.diagnosis, diagnose::diagnose(harness.task(), *workload, measured->profile,
                                                device.describe().spec, record));
  }
  return judged;
}

}  // namespace kp::loop

// SPDX-License-Identifier: Apache-2.0
#include "loop/harness_judge.h"

namespace kp::loop {
namespace {

const Workload* profiled(const Task& task, const Profile& profile) {
  for (const Workload& workload : task.workloads) {
    if (workload.name == profile.workload) return &workload;
  }
  return nullptr;
}

}  // namespace

Result<Judged> HarnessJudge::judge(const Candidate& candidate, Depth depth,
                                   const diagnose::TrackRecord& record) {
  KP_TRY(auto evaluation, harness_.evaluate(candidate, depth));
  Judged judged{std::move(evaluation), std::nullopt};
  if (const Measured* measured = judged.evaluation.measured()) {
    KP_TRY(judged.diagnosis, diagnose(measured->profile, record));
  }
  return judged;
}

Result<std::optional<FullProfile>> HarnessJudge::look_into(const Candidate& candidate,
                                                           const diagnose::TrackRecord& record) {
  KP_TRY(auto profile, harness_.profile_fully(candidate));
  if (!profile) return std::optional<FullProfile>{};
  KP_TRY(auto diagnosis, diagnose(*profile, record));
  if (!diagnosis) return std::optional<FullProfile>{};
  return std::optional(FullProfile{*std::move(profile), *std::move(diagnosis)});
}

Result<std::optional<Diagnosis>> HarnessJudge::diagnose(const Profile& profile,
                                                        const diagnose::TrackRecord& record) const {
  const Workload* workload = profiled(task(), profile);
  if (!workload) return std::optional<Diagnosis>{};
  KP_TRY(auto diagnosis, diagnose::diagnose(task(), *workload, profile, device().spec, record));
  return std::optional(std::move(diagnosis));
}

}  // namespace kp::loop

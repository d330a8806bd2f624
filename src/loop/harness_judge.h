// SPDX-License-Identifier: Apache-2.0
// Judging on a device: the harness measures, the diagnosis finds.
#pragma once
#include "harness/harness.h"
#include "loop/judge.h"

namespace kp::loop {

class HarnessJudge final : public Judge {
 public:
  /// Both must outlive the judge; `device` is the one that the harness was opened with.
  HarnessJudge(harness::Harness& harness, device::Device& device)
      : harness_(harness), device_(device) {}
  const Task& task() const override { return harness_.task(); }
  const device::Description& device() const override { return device_.describe(); }
  Result<Judged> judge(const Candidate& candidate, Depth depth,
                       const diagnose::TrackRecord& record) override;
  Result<std::optional<FullProfile>> look_into(const Candidate& candidate,
                                               const diagnose::TrackRecord& record) override;

 private:
  Result<std::optional<Diagnosis>> diagnose(const Profile& profile,
                                            const diagnose::TrackRecord& record) const;
  harness::Harness& harness_;
  device::Device& device_;
};

}  // namespace kp::loop

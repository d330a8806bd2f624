// SPDX-License-Identifier: Apache-2.0
// Verdicts that are written down, and verdicts out of such a recording: a recorded run can be
// repeated without its device and without a compiler.
#pragma once
#include <memory>
#include <string>

#include "llm/recording.h"
#include "loop/judge.h"
#include "loop/settings.h"

namespace kp::loop {

/// Passes on what `judge` says, once it is in the recording.
class RecordingJudge final : public Judge {
 public:
  /// `judge` must outlive it.
  RecordingJudge(Judge& judge, std::shared_ptr<llm::Recording> into)
      : judge_(judge), into_(std::move(into)) {}
  const Task& task() const override { return judge_.task(); }
  const device::Description& device() const override { return judge_.device(); }
  Result<Judged> judge(const Candidate& candidate, Depth depth,
                       const diagnose::TrackRecord& record) override;
  Result<std::optional<FullProfile>> look_into(const Candidate& candidate,
                                               const diagnose::TrackRecord& record) override;

 private:
  Judge& judge_;
  std::shared_ptr<llm::Recording> into_;
};

/// Says what was said then; kCorrupt for a candidate that was not judged then, or not so often.
class ReplayedJudge final : public Judge {
 public:
  ReplayedJudge(const Task& task, device::Description device, std::shared_ptr<llm::Recording> from)
      : task_(task), device_(std::move(device)), from_(std::move(from)) {}
  const Task& task() const override { return task_; }
  const device::Description& device() const override { return device_; }
  Result<Judged> judge(const Candidate& candidate, Depth depth,
                       const diagnose::TrackRecord& record) override;
  Result<std::optional<FullProfile>> look_into(const Candidate& candidate,
                                               const diagnose::TrackRecord& record) override;

 private:
  const Task& task_;
  device::Description device_;
  std::shared_ptr<llm::Recording> from_;
};

/// What a run was started with and how it ended.
struct RecordedRun {
  store::Meta meta;   // as to_meta gives it
  Settings settings;  // the same, so that a replay ends where the run ended
  device::Description device;
};
/// The first line of a recording.
Result<void> record_start(llm::Recording& recording, const store::Meta& meta,
                          const device::Description& device);
/// The last line; `rule` is the name of the stop rule.
Result<void> record_end(llm::Recording& recording, const std::string& rule, int evaluations);
/// kInvalidInput when the recorded run did not come to its end; kCorrupt.
Result<RecordedRun> read_run(llm::Recording& recording);

}  // namespace kp::loop

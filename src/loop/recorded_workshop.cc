// SPDX-License-Identifier: Apache-2.0
#include "loop/recorded_workshop.h"

namespace kp::loop {

Result<RecordedWorkshop> RecordedWorkshop::open(Workshop& shop, const Path& file) {
  RecordedWorkshop judges;
  judges.harness_ = std::make_unique<HarnessJudge>(*shop.harness, *shop.device);
  if (file.empty()) return judges;
  KP_TRY(judges.recording_, llm::Recording::append(file));
  judges.recorder_ = std::make_unique<RecordingJudge>(*judges.harness_, judges.recording_);
  return judges;
}

Result<void> RecordedWorkshop::begin(const Settings& settings) {
  if (!recording_) return {};
  std::error_code error;
  if (std::filesystem::file_size(recording_->file(), error) > 0) {
    return fail(ErrorCode::kInvalidInput,
                recording_->file().string() + " holds a recording already",
                "choose another file, or remove it");
  }
  KP_TRY(const auto meta, to_meta(settings, harness_->task()));
  return record_start(*recording_, meta, harness_->device());
}

Result<void> RecordedWorkshop::end(const Ending& ending) {
  if (!recording_) return {};
  return record_end(*recording_, ending.reason.rule, ending.evaluations);
}

}  // namespace kp::loop

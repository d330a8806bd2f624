// SPDX-License-Identifier: Apache-2.0
// The judge of a workshop, and the recording of what it says where one is wanted.
#pragma once
#include <memory>

#include "cli/workshop.h"
#include "loop/conclude.h"
#include "loop/harness_judge.h"
#include "loop/recorded_judge.h"
#include "loop/settings.h"

namespace kp::cli {

class RecordedWorkshop {
 public:
  /// `file` empty: nothing is recorded. `shop` must outlive it.
  static Result<RecordedWorkshop> open(Workshop& shop, const Path& file);
  loop::Judge& judge() { return recording_ ? static_cast<loop::Judge&>(*recorder_) : *harness_; }
  /// Records what the run is started with. kInvalidInput when the file holds a recording already.
  Result<void> begin(const loop::Settings& settings);
  /// Records that the run has ended.
  Result<void> end(const loop::Ending& ending);

 private:
  RecordedWorkshop() = default;
  std::unique_ptr<loop::HarnessJudge> harness_;
  std::shared_ptr<llm::Recording> recording_;  // null: none
  std::unique_ptr<loop::RecordingJudge> recorder_;
};

}  // namespace kp::cli

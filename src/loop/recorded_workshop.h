// SPDX-License-Identifier: Apache-2.0
// The judge of a workshop, and the recording of what it says where one is wanted.
#pragma once
#include <memory>

#include "loop/conclude.h"
#include "loop/harness_judge.h"
#include "loop/recorded_judge.h"
#include "loop/settings.h"
#include "loop/workshop.h"

namespace kp::loop {

class RecordedWorkshop {
 public:
  /// `file` empty: nothing is recorded. `shop` must outlive it.
  static Result<RecordedWorkshop> open(Workshop& shop, const Path& file);
  Judge& judge() { return recording_ ? static_cast<Judge&>(*recorder_) : *harness_; }
  /// Records what the run is started with. kInvalidInput when the file holds a recording already.
  Result<void> begin(const Settings& settings);
  /// Records that the run has ended.
  Result<void> end(const Ending& ending);

 private:
  RecordedWorkshop() = default;
  std::unique_ptr<HarnessJudge> harness_;
  std::shared_ptr<llm::Recording> recording_;  // null: none
  std::unique_ptr<RecordingJudge> recorder_;
};

}  // namespace kp::loop

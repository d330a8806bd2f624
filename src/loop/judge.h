// SPDX-License-Identifier: Apache-2.0
// Who says what a candidate is worth. The harness is one (harness_judge.h), a recording is another
// (recorded_judge.h).
#pragma once
#include <optional>
#include <string>

#include "device/device.h"
#include "diagnose/diagnose.h"
#include "model/evaluation.h"
#include "model/finding.h"
#include "model/task.h"

namespace kp::loop {

struct Judged {
  Evaluation evaluation;
  std::optional<Diagnosis> diagnosis;  // of a measured one
};
/// What all metrics say in place of what few did.
struct FullProfile {
  Profile profile;
  Diagnosis diagnosis;
};

class Judge {
 public:
  virtual ~Judge() = default;
  virtual const Task& task() const = 0;
  virtual const device::Description& device() const = 0;
  /// A bad candidate is a value. `record`: how far each tool's promises came true so far.
  virtual Result<Judged> judge(const Candidate& candidate, Depth depth,
                               const diagnose::TrackRecord& record) = 0;
  /// All metrics of a candidate that was measured at quick depth; nothing when its first profile
  /// had them already, and when it fails this time.
  virtual Result<std::optional<FullProfile>> look_into(const Candidate& candidate,
                                                       const diagnose::TrackRecord& record) = 0;
};

/// The verdict on a candidate whose plan cannot be read: bad, but no failing world.
Judged unreadable(const Error& error, Depth depth, const device::Description& device);

}  // namespace kp::loop

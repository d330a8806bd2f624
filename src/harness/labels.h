// SPDX-License-Identifier: Apache-2.0
// Times that are possible and suspicious.
#pragma once
#include <vector>

#include "model/device_spec.h"
#include "model/evaluation.h"
#include "model/task.h"

namespace kp::harness {

struct LabelRequest {
  const Declaration& declaration;
  const Workload& workload;
  const DeviceSpec& spec;
  Precision precision = Precision::kF32;  // that the candidate declares, else the task's
  double nanoseconds = 0;
};

/// "flop-floor": a contraction took less time than its FLOP at the peak of the class, which an
/// algorithm that needs fewer of them may. "near-byte-floor": at most a tenth above the floor that
/// rejects. Only the former needs what the task says of its work.
Result<std::vector<Label>> labels_for(const LabelRequest& request);

}  // namespace kp::harness

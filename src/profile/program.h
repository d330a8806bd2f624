// SPDX-License-Identifier: Apache-2.0
// Recordings of programs that know nothing of KernelPro: the driver loads our library into them
// (libkernelpro-inject.so), once to see what takes time, once more to count what does.
#pragma once
#include <chrono>
#include <string>
#include <vector>

#include "profile/recording.h"

namespace kp::profile {

/// Who looks into the program: our library, Nsight Compute, or our library and then Nsight Compute
/// where that sees no launch or reads no counter.
enum class Via { kAny, kInject, kNcu };

struct ProgramRequest {
  std::vector<std::string> command;
  Via via = Via::kAny;
  std::chrono::seconds deadline{600};  // of each of the two runs
  /// Where the first run's output goes: our standard output, or our standard error so that the
  /// other stays free.
  bool to_standard_error = false;
};

/// kUnavailable: the program used no GPU, or this machine cannot record. What is missing of a
/// recording that can be used is in its notes.
Result<Recording> record_program(const ProgramRequest& request);

}  // namespace kp::profile

// SPDX-License-Identifier: Apache-2.0
// Times a verified candidate on the task's `time` workloads and profiles it.
#pragma once
#include <string>
#include <variant>
#include <vector>

#include "harness/verify.h"

namespace kp::harness {

struct Timed {
  Measured measured;  // times, grade, profile; errors are verify's
  std::vector<std::string> notes;
};

/// An Outcome when the candidate fails on a large workload or is faster than memory allows.
Result<std::variant<Timed, Outcome>> time_candidate(const VerifyRequest& request);

/// An Outcome when `nanoseconds` are less than the bytes of the workload need.
Result<std::optional<Outcome>> below_floor(const VerifyRequest& request, const Workload& workload,
                                           double nanoseconds);
std::string prepare_note(const Workload& workload, double nanoseconds, Grade grade);

/// The least nanoseconds in which the compulsory traffic of a workload fits through DRAM: inputs
/// are cold, outputs count beyond what L2 holds back.
Result<double> byte_floor(const Declaration& declaration, const Bindings& axes,
                          const DeviceSpec& spec);

}  // namespace kp::harness

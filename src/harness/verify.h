// SPDX-License-Identifier: Apache-2.0
// Does a candidate compute what the task asks for, on every set of values and whatever the
// schedule?
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "harness/cases.h"
#include "harness/gates.h"
#include "harness/harness.h"
#include "harness/rig.h"

namespace kp::harness {

struct VerifyRequest {
  const Task& task;
  const Candidate& candidate;
  const build::Binary& binary;
  device::Device& device;
  device::Loaded& loaded;
  Cases& cases;
  Reference& reference;
  const HarnessOptions& options;
  Depth depth = Depth::kQuick;
};

struct Verification {
  std::optional<Outcome> bad;   // the first fault found
  double error = 0, limit = 0;  // the one that came nearest to its gate
  bool deterministic = true;
  std::vector<std::string> notes;
  std::vector<PublishedVerdict> published;  // of the check workloads that have a tolerance
};

Result<Verification> verify(const VerifyRequest& request);

/// The candidate's class, else the task's.
Precision precision_of(const VerifyRequest& request);

/// The gate of an output, without the spans of its values.
GateRequest gate_for(const VerifyRequest& request, const Tensor& tensor, ValueSet set,
                     const Workload& workload);
/// With them: what `got` must be for an output of `sample`.
GateRequest gate_for(const Task& task, Precision precision, const Case& sample,
                     const Tensor& tensor, std::span<const double> got);

/// One element that is wrong, in words.
struct Misfit {
  const Tensor& tensor;
  const Workload& workload;
  ValueSet set = ValueSet::kContract;
  GateFailure failure;
  double expected = 0, got = 0;
};
WrongAnswer wrong_answer(const Misfit& misfit);
/// "out[3, 17]".
std::string place_of(const WrongAnswer& wrong);

/// Bytes of canaries that this device needs.
std::uint64_t red_zone_for(const device::Device& device, const HarnessOptions& options);

}  // namespace kp::harness

// SPDX-License-Identifier: Apache-2.0
// Does a candidate compute what the task asks for, on every set of values and whatever the
// schedule?
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "harness/cases.h"
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
};

Result<Verification> verify(const VerifyRequest& request);

/// Bytes of canaries that this device needs.
std::uint64_t red_zone_for(const device::Device& device, const HarnessOptions& options);

}  // namespace kp::harness

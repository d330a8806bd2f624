// SPDX-License-Identifier: Apache-2.0
// Compiles what is exported and runs its regression test, as far as this machine can.
#pragma once
#include <string>
#include <vector>

#include "package/delivery.h"
#include "package/evidence.h"

namespace kp::package {

struct TrialRequest {
  const Delivery& delivery;
  const std::vector<File>& files;
  std::string form;         // "cpp", "torch"
  std::string gpu;          // product name of the GPU; empty: none here
  bool unconfined = false;  // run the test even without a sandbox
};

/// What came of it; `good` is false when something was tried and failed.
struct TrialResult {
  std::string compiled, test;  // as in Trial
  std::string log;             // of what failed
  bool good = true;
};

/// The compiler and the test see only a folder of their own and what they need: nvcc, unlike the
/// compiler that judged the kernels, makes host code of a source too. Errors: no temporary folder.
Result<TrialResult> try_out(const TrialRequest& request);

}  // namespace kp::package

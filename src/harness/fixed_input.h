// SPDX-License-Identifier: Apache-2.0
// Inputs that a workload takes from a file.
#pragma once
#include <string>
#include <vector>

#include "model/plan.h"

namespace kp::harness {

/// The bytes as they stand in the file. kIo when it has become shorter since the task was read.
Result<std::string> fixed_bytes(const FixedInput& data);

/// Its elements. kUnsupported for integers beyond 2^53, which a double does not hold.
Result<std::vector<double>> fixed_values(const FixedInput& data, DType dtype);

}  // namespace kp::harness

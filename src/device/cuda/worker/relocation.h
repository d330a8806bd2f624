// SPDX-License-Identifier: Apache-2.0
// Steps whose arrays lie elsewhere now.
#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>

#include "base/result.h"

namespace kp::device::cuda {

struct Moved {
  std::uint64_t bytes = 0, to = 0;
};
using Moves = std::map<std::uint64_t, Moved>;  // by the first address of each array

/// Every address within an array, in parameter blocks (words at multiples of eight bytes), tensor
/// maps and steps that zero. Arrays lie in the judge's range, where no number of a plan does.
Result<void> relocate(nlohmann::json& steps, const Moves& moves);

}  // namespace kp::device::cuda

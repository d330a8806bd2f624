// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>

#include "model/task.h"

namespace kp::propose {

/// `source` behind the parent's plan, when all kernels that it launches are there with as many
/// parameters of the same types; else nothing.
std::optional<std::string> with_plan_of_parent(const Candidate* parent, const std::string& source);

}  // namespace kp::propose

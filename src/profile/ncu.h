// SPDX-License-Identifier: Apache-2.0
// Recordings of Nsight Compute, from its CSV to kernels.
#pragma once
#include <string>
#include <string_view>

#include "profile/recording.h"

namespace kp::profile {

/// What read_ncu_csv does with a file's text; `file` is for messages.
Result<Recording> parse_ncu_csv(std::string_view text, const std::string& file);

/// The name alone of a demangled kernel: no return type, no parameters.
std::string short_name(std::string_view demangled);

}  // namespace kp::profile

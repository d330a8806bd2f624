// SPDX-License-Identifier: Apache-2.0
// Records what the GPU does and which calls asked for it, from CUPTI's activity records.
#pragma once
#include <string>

namespace kp::inject {

/// Starts recording into `folder`; the rest is written when the program ends. What goes wrong is a
/// line of the record.
void start_trace(const std::string& folder);

}  // namespace kp::inject

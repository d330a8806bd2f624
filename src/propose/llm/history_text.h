// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "propose/proposer.h"

namespace kp::propose {

/// What was tried at this node and, from search memory, on kernels like it, with what came of it.
/// Empty when there is nothing.
std::string history_text(const Request& request);

}  // namespace kp::propose

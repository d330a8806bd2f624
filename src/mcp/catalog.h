// SPDX-License-Identifier: Apache-2.0
// What `kernelpro mcp` offers.
#pragma once
#include <vector>

#include "mcp/server.h"
#include "mcp/workplace.h"

namespace kp::mcp {

std::vector<Tool> make_tools(const Setup& setup);
Introduction introduction(const Setup& setup);

}  // namespace kp::mcp

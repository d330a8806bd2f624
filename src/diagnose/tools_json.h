// SPDX-License-Identifier: Apache-2.0
// The catalogue of diagnosis tools for programs.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "diagnose/tool.h"

namespace kp::diagnose {

/// {"name", "sees", "costs", "tries", "misleads", "source", "speaks_about": classes of kernels,
/// "needs": metrics, "origin": "built in" or a file}.
nlohmann::json to_json(const Tool& tool, std::string_view origin);
/// The built-in tools, then those that users wrote.
nlohmann::json tools_json();

inline constexpr std::string_view kBuiltIn = "built in";

}  // namespace kp::diagnose

// SPDX-License-Identifier: Apache-2.0
// TOML with an error that names the place.
#pragma once
#include <toml++/toml.h>

#include <string>

#include "base/result.h"

namespace kp {

/// kInvalidInput with line and column in `file` when `text` is no TOML.
Result<toml::table> parse_toml(const std::string& text, const std::string& file);

}  // namespace kp

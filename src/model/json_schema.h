// SPDX-License-Identifier: Apache-2.0
// Whether a JSON value fits a JSON Schema.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/result.h"

namespace kp {

/// kInvalidInput says which member is wrong, and how; `hint` says where the schema can be seen.
Result<void> check_against(const nlohmann::json& value, const nlohmann::json& schema,
                           std::string hint);

}  // namespace kp

// SPDX-License-Identifier: Apache-2.0
// JSON Schema: how tools say what they take, and checking that a client sent it.
#pragma once
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/result.h"

namespace kp::mcp {

using Members = std::initializer_list<std::pair<const char*, nlohmann::json>>;

/// An object with these members; those whose names end in `?` may be missing. Others are refused.
nlohmann::json object_schema(Members members);
nlohmann::json list_of(nlohmann::json element);
nlohmann::json text(std::string description);
nlohmann::json integer(std::string description, std::int64_t least);
nlohmann::json number(std::string description);
nlohmann::json flag(std::string description);
nlohmann::json one_of(std::string description, std::initializer_list<const char*> values);
/// The same, or null.
nlohmann::json nullable(nlohmann::json schema);
/// Anything, described in words: for values whose form another page documents.
nlohmann::json any(std::string description);

/// kInvalidInput says which member is wrong, and how.
Result<void> check_schema(const nlohmann::json& value, const nlohmann::json& schema);

}  // namespace kp::mcp

// SPDX-License-Identifier: Apache-2.0
// The JSON form of the nouns: what the store keeps and what --json prints. Units are in the keys.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "model/evaluation.h"
#include "model/finding.h"
#include "model/profile.h"

namespace kp {

nlohmann::json to_json(const Profile& profile);
nlohmann::json to_json(const Evaluation& evaluation);
nlohmann::json to_json(const Finding& finding);
nlohmann::json to_json(const Diagnosis& diagnosis);

/// Inverse of to_json; kCorrupt names the key that is missing or of the wrong type.
Result<Profile> profile_from_json(const nlohmann::json& json);
Result<Evaluation> evaluation_from_json(const nlohmann::json& json);
Result<Diagnosis> diagnosis_from_json(const nlohmann::json& json);

/// Parses text, reporting kCorrupt with the byte position (line and column in the spot) instead of
/// throwing. The ordered form keeps the members of objects as they are written.
Result<nlohmann::json> parse_json(std::string_view text);
Result<nlohmann::ordered_json> parse_ordered_json(std::string_view text);

}  // namespace kp

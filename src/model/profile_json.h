// SPDX-License-Identifier: Apache-2.0
// Pieces of profiles and places in text, for the other *_json.cc files.
#pragma once
#include "model/json_reader.h"
#include "model/profile.h"

namespace kp {

/// The member "grade".
Grade read_grade(const JsonReader& in);
Profile read_profile(const JsonReader& in);

nlohmann::json spot_json(const SourceSpot& spot);
SourceSpot read_spot(const JsonReader& in);

}  // namespace kp

// SPDX-License-Identifier: Apache-2.0
// A device spec for the GPU at hand: the shipped one of the nearest GPU, with what was measured put
// in its place. What nobody measured keeps its number and its source.
#pragma once
#include <string>
#include <vector>

#include "cli/ceilings.h"

namespace kp::cli {

/// The value, unit and source of `key` in the text of a spec; unchanged text when it has no such
/// key.
std::string with_number(const std::string& text, const std::string& key, double value,
                        const std::string& unit, const std::string& source);

/// "h200" of "NVIDIA H200 SXM": letters and digits of the last words but the maker's.
std::string spec_name(const std::string& product);

/// `base`: text of the spec that it starts from. `source`: where the numbers come from.
std::string spec_text(const std::string& base, const DeviceSpec& gpu,
                      const std::vector<Ceiling>& ceilings, const std::string& source);

}  // namespace kp::cli

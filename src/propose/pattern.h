// SPDX-License-Identifier: Apache-2.0
// Code that rewrites emit, written as it will look, with $NAMES for what differs.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kp::propose {

/// A $NAME, without the dollar, and the text that takes its place.
using Fillings = std::vector<std::pair<std::string_view, std::string>>;

/// `pattern` with each $NAME replaced. A $NAME alone on its line takes any number of lines, which
/// are moved to its column; with an empty text the line vanishes. KP_CHECK on an unknown $NAME.
std::string filled(std::string_view pattern, const Fillings& fillings);

}  // namespace kp::propose

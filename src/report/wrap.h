// SPDX-License-Identifier: Apache-2.0
// Long lines for narrow terminals; the cli wraps what it prints with this. Pure.
#pragma once
#include <string>
#include <string_view>

namespace kp::report {

/// `text` with lines longer than `width` bytes broken at spaces. What follows a break stands below
/// the text it goes on with: after the line's indentation, or after the columns of a table, which
/// are told by gaps of two spaces or more. Words longer than a line stay whole.
std::string wrapped(std::string_view text, std::size_t width);

}  // namespace kp::report

// SPDX-License-Identifier: Apache-2.0
// Text of other programs, files and earlier replies in a prompt: data that must not be taken for
// instructions, nor break the prompt's form.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace kp::propose {

/// Without control characters, terminal escapes and invisible characters; bytes that are no UTF-8
/// become `?`. Line ends are LF; tabs become blanks.
std::string printable(std::string_view text);

/// Printable, each line behind "| ", at most about `most_bytes`: what is too long loses its middle,
/// and a line says so. Ends with a line end unless it is empty.
std::string quoted(std::string_view text, std::size_t most_bytes);

/// Printable, on one line, at most `most_bytes`.
std::string on_one_line(std::string_view text, std::size_t most_bytes);

/// The text in a fence of backticks that nothing inside can close.
std::string fenced(std::string_view text, std::string_view tag);

}  // namespace kp::propose

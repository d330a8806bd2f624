// SPDX-License-Identifier: Apache-2.0
// Small things about text that the standard library leaves out.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kp {

/// Of ASCII, whatever the locale.
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
std::string_view trim(std::string_view text);
std::vector<std::string_view> split(std::string_view text, char separator);
/// Without the line ends (LF or CR LF); the last line need not have one.
std::vector<std::string_view> split_lines(std::string_view text);
/// Whether `text` starts with `word` and the identifier ends there.
bool starts_with_word(std::string_view text, std::string_view word);
std::string join(const std::vector<std::string>& parts, std::string_view separator);
/// The whole text as a decimal number, with an optional sign.
std::optional<long long> parse_integer(std::string_view text);
/// The whole text as a finite number.
std::optional<double> parse_real(std::string_view text);

/// The candidate nearest to `word` by edit distance, if it is near enough to be a likely slip.
std::optional<std::string> nearest(std::string_view word,
                                   const std::vector<std::string>& candidates);

/// "1.5 GB", "12.3 us": three significant digits with an SI prefix. Units never get lost.
std::string format_bytes(double bytes);
std::string format_duration_ns(double nanoseconds);
/// "5.24 M", "840 k", "12": for counts of things named by the words that follow.
std::string format_count(double count);

}  // namespace kp

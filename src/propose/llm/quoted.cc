// SPDX-License-Identifier: Apache-2.0
#include "propose/llm/quoted.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "base/text.h"

namespace kp::propose {
namespace {

constexpr std::size_t kLongestLine = 400;  // bytes; compilers print template names of kilobytes

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t bytes = 0;  // 0: no UTF-8
};

CodePoint decode(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t bytes = lead < 0x80                      ? 1
                            : (lead >= 0xc2 && lead < 0xe0)  ? 2
                            : (lead >= 0xe0 && lead < 0xf0)  ? 3
                            : (lead >= 0xf0 && lead <= 0xf4) ? 4
                                                             : 0;
  if (bytes == 0 || bytes > text.size()) return {};
  std::uint32_t value = bytes == 1 ? lead : lead & (0x7fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0) != 0x80) return {};
    value = value << 6 | (next & 0x3f);
  }
  return {value, bytes};
}

/// Controls, and what has no width but a meaning: directions, joiners, tags, byte-order marks.
bool is_hidden(std::uint32_t c) {
  return (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7f && c < 0xa0) ||
         (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
         (c >= 0x2060 && c <= 0x206f) || c == 0xad || c == 0xfeff || (c >= 0xd800 && c <= 0xdfff) ||
         (c >= 0xfe00 && c <= 0xfe0f) || (c >= 0xe0000 && c <= 0xe01ef);
}

/// Bytes of a terminal's escape sequence at the start of `text`.
std::size_t escape_length(std::string_view text) {
  if (text.size() < 2) return text.size();
  if (text[1] != '[') return 2;
  std::size_t end = 2;
  while (end < text.size() && (text[end] < '@' || text[end] > '~')) ++end;
  return std::min(end + 1, text.size());
}

std::string shortened_line(std::string_view line) {
  if (line.size() <= kLongestLine) return std::string(line);
  std::size_t end = kLongestLine;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xc0) == 0x80) --end;
  return fmt::format("{} [... {} more bytes]", line.substr(0, end), line.size() - end);
}

/// How many lines from the front fit into `most` bytes.
std::size_t fitting(const std::vector<std::string>& lines, std::size_t most) {
  std::size_t count = 0, bytes = 0;
  while (count < lines.size() && bytes + lines[count].size() <= most)
    bytes += lines[count++].size();
  return count;
}

std::size_t total(const std::vector<std::string>& lines) {
  std::size_t bytes = 0;
  for (const std::string& line : lines) bytes += line.size();
  return bytes;
}

/// Keeps the front, where the first error stands, and a quarter of the room for the end.
void leave_out_middle(std::vector<std::string>& lines, std::size_t most) {
  if (total(lines) <= most) return;
  const std::size_t head = std::max<std::size_t>(1, fitting(lines, most - most / 4));
  std::vector<std::string> back(lines.rbegin(), lines.rend() - static_cast<std::ptrdiff_t>(head));
  const std::size_t tail = fitting(back, most / 4);
  const std::size_t left_out = back.size() - tail;
  if (left_out == 0) return;
  const auto begin = lines.begin() + static_cast<std::ptrdiff_t>(head);
  lines.erase(begin, begin + static_cast<std::ptrdiff_t>(left_out));
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(head),
               fmt::format("| [{} lines left out]\n", left_out));
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint point = decode(text.substr(i));
    if (point.value == 0x1b) {
      i += escape_length(text.substr(i));
    } else if (point.bytes == 0) {
      out += '?';
      ++i;
    } else {
      if (point.value == '\t') {
        out += "  ";
      } else if (!is_hidden(point.value)) {
        out += text.substr(i, point.bytes);
      }
      i += point.bytes;
    }
  }
  return out;
}

std::string quoted(std::string_view text, std::size_t most_bytes) {
  const std::string clean = printable(text);
  std::vector<std::string> lines;
  for (const std::string_view line : split_lines(trim(clean))) {
    lines.push_back(fmt::format("| {}\n", shortened_line(line)));
  }
  if (lines.size() == 1 && lines[0] == "| \n") return "";
  leave_out_middle(lines, most_bytes);
  return join(lines, "");
}

std::string on_one_line(std::string_view text, std::size_t most_bytes) {
  std::string out = printable(text);
  std::replace(out.begin(), out.end(), '\n', ' ');
  out = std::string(trim(out));
  if (out.size() <= most_bytes) return out;
  std::size_t end = most_bytes - std::min<std::size_t>(most_bytes, 4);
  while (end > 0 && (static_cast<unsigned char>(out[end]) & 0xc0) == 0x80) --end;
  return out.substr(0, end) + " ...";
}

std::string fenced(std::string_view text, std::string_view tag) {
  std::size_t longest = 2, run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  const char* end = text.ends_with('\n') ? "" : "\n";
  return fmt::format("{}{}\n{}{}{}\n", fence, tag, text, end, fence);
}

}  // namespace kp::propose

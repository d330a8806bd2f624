// SPDX-License-Identifier: Apache-2.0
#include "vgpu/alu/expansion.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <unordered_map>

#include "assets/sass_expansion.h"
#include "vgpu/alu/request.h"

namespace kp::vgpu {
namespace {

using Counts = std::unordered_map<std::string, std::uint32_t>;

/// Takes the text up to `separator` off the front of `rest`.
std::string_view take(std::string_view& rest, char separator) {
  const auto end = std::min(rest.find(separator), rest.size());
  const auto piece = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return piece;
}

std::string form_of(std::string_view text) {
  ptx::Instruction instruction;
  instruction.opcode = take(text, '.');
  while (!text.empty()) instruction.modifiers.emplace_back(take(text, '.'));
  return request_of(instruction).form;
}

Counts read_table() {
  Counts counts;
  for (std::string_view rest = assets::sass_expansion; !rest.empty();) {
    std::string_view line = take(rest, '\n');
    if (line.empty() || line.front() == '#') continue;
    const auto last = line.rfind(' ');
    std::uint32_t count = 1;
    std::from_chars(line.data() + last + 1, line.data() + line.size(), count);
    counts.emplace(form_of(take(line, ' ')), count);
  }
  return counts;
}

}  // namespace

std::uint32_t sass_expansion(std::string_view form) {
  static const Counts counts = read_table();
  const auto found = counts.find(std::string(form));
  return found == counts.end() ? 1 : found->second;
}

}  // namespace kp::vgpu

// SPDX-License-Identifier: Apache-2.0
#include "propose/pattern.h"

#include <algorithm>
#include <cctype>

#include "base/check.h"
#include "base/text.h"
#include "propose/edit.h"

namespace kp::propose {
namespace {

std::size_t end_of_name(std::string_view text, std::size_t at) {
  while (at < text.size() &&
         (std::isupper(static_cast<unsigned char>(text[at])) ||
          std::isdigit(static_cast<unsigned char>(text[at])) || text[at] == '_')) {
    ++at;
  }
  return at;
}

const std::string& look_up(const Fillings& fillings, std::string_view name) {
  const auto found = std::find_if(fillings.begin(), fillings.end(),
                                  [name](const auto& filling) { return filling.first == name; });
  KP_CHECK(found != fillings.end(), "a pattern names what it is filled with");
  return found->second;
}

std::string filled_line(std::string_view line, const Fillings& fillings) {
  std::string text;
  std::size_t copied = 0;
  for (std::size_t at = line.find('$'); at != std::string_view::npos; at = line.find('$', copied)) {
    text += line.substr(copied, at - copied);
    copied = end_of_name(line, at + 1);
    text += look_up(fillings, line.substr(at + 1, copied - at - 1));
  }
  text += line.substr(copied);
  return text;
}

}  // namespace

std::string filled(std::string_view pattern, const Fillings& fillings) {
  std::string text;
  const auto lines = split_lines(pattern);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = lines[i], alone = trim(line);
    const bool block = alone.starts_with('$') && end_of_name(alone, 1) == alone.size();
    const bool last = i + 1 == lines.size();
    if (!block) {
      text += filled_line(line, fillings) + (last ? "" : "\n");
      continue;
    }
    const std::string& value = look_up(fillings, alone.substr(1));
    if (!trim(value).empty()) text += reindented(trim(value), line.find('$')) + "\n";
  }
  return text;
}

}  // namespace kp::propose

// SPDX-License-Identifier: Apache-2.0
#include "package/template.h"

namespace kp::package {

std::string filled(std::string_view text, const std::map<std::string, std::string>& values) {
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t open = text.find('@', at);
    const std::size_t close = open == text.npos ? text.npos : text.find('@', open + 1);
    if (close == text.npos) break;
    const auto value = values.find(std::string(text.substr(open + 1, close - open - 1)));
    out += text.substr(at, open - at);
    out +=
        value == values.end() ? text.substr(open, close - open) : std::string_view(value->second);
    at = value == values.end() ? close : close + 1;
  }
  return out + std::string(text.substr(at));
}

}  // namespace kp::package

// SPDX-License-Identifier: Apache-2.0
#include "propose/llm/template.h"

namespace kp::propose {

std::string fill_template(std::string_view text,
                          const std::map<std::string, std::string, std::less<>>& values) {
  std::string out;
  while (true) {
    const auto open = text.find("{{");
    const auto close = text.find("}}", open == std::string_view::npos ? text.size() : open);
    if (close == std::string_view::npos) return out += text;
    const auto value = values.find(text.substr(open + 2, close - open - 2));
    out += text.substr(0, open);
    out += value == values.end() ? std::string(text.substr(open, close + 2 - open)) : value->second;
    text.remove_prefix(close + 2);
  }
}

}  // namespace kp::propose

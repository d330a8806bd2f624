// SPDX-License-Identifier: Apache-2.0
#include "model/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace kp {
namespace {

SourceSpot spot_of(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return {{}, static_cast<int>(line), static_cast<int>(before.size() - line_start) + 1};
}

template <class Json>
Result<Json> parse(std::string_view text) {
  try {
    return Json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    // The library counts the byte it stumbled over from 1.
    const std::size_t byte = error.byte > 0 ? error.byte - 1 : 0;
    return tl::unexpected<Error>(Error{ErrorCode::kCorrupt,
                                       fmt::format("not valid JSON at byte {}", byte),
                                       "look for a missing comma, quote or bracket just before",
                                       spot_of(text, byte),
                                       {}});
  } catch (const nlohmann::json::exception& error) {
    return fail(ErrorCode::kCorrupt, fmt::format("not valid JSON: {}", error.what()));
  }
}

}  // namespace

Result<nlohmann::json> parse_json(std::string_view text) { return parse<nlohmann::json>(text); }

Result<nlohmann::ordered_json> parse_ordered_json(std::string_view text) {
  return parse<nlohmann::ordered_json>(text);
}

}  // namespace kp

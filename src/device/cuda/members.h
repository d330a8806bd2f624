// SPDX-License-Identifier: Apache-2.0
// Members of a message that may be hostile. kCorrupt names the member that is missing or of another
// type.
#pragma once
#include <fmt/format.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace kp::device::cuda {

inline tl::unexpected<Error> bad_member(const char* key, std::string_view wanted) {
  return fail(ErrorCode::kCorrupt,
              fmt::format("member \"{}\" of a message is not {}", key, wanted));
}

/// Null where it is missing, or `json` is no map.
inline const nlohmann::json* find_member(const nlohmann::json& json, const char* key) {
  if (!json.is_object()) return nullptr;
  const auto found = json.find(key);
  return found == json.end() ? nullptr : &*found;
}

/// A whole number that Number can hold.
template <std::integral Number>
Result<Number> number_from(const nlohmann::json* value, const char* key) {
  if (value != nullptr && value->is_number_unsigned()) {
    const auto number = value->get<std::uint64_t>();
    if (std::in_range<Number>(number)) return static_cast<Number>(number);
  } else if (value != nullptr && value->is_number_integer()) {
    const auto number = value->get<std::int64_t>();
    if (std::in_range<Number>(number)) return static_cast<Number>(number);
  }
  return bad_member(key, "a whole number in its range");
}
template <std::integral Number>
Result<Number> number_member(const nlohmann::json& json, const char* key) {
  return number_from<Number>(find_member(json, key), key);
}

inline Result<std::string> text_member(const nlohmann::json& json, const char* key) {
  const nlohmann::json* value = find_member(json, key);
  if (value == nullptr || !value->is_string()) return bad_member(key, "a text");
  return value->get<std::string>();
}

inline Result<bool> flag_member(const nlohmann::json& json, const char* key) {
  const nlohmann::json* value = find_member(json, key);
  if (value == nullptr || !value->is_boolean()) return bad_member(key, "true or false");
  return value->get<bool>();
}

/// Lives as long as `json`.
inline Result<std::span<const std::byte>> bytes_member(const nlohmann::json& json,
                                                       const char* key) {
  const nlohmann::json* value = find_member(json, key);
  if (value == nullptr || !value->is_binary()) return bad_member(key, "bytes");
  return std::as_bytes(std::span<const std::uint8_t>(value->get_binary()));
}

/// Lives as long as `json`.
inline Result<const nlohmann::json*> list_member(const nlohmann::json& json, const char* key) {
  const nlohmann::json* value = find_member(json, key);
  if (value == nullptr || !value->is_array()) return bad_member(key, "a list");
  return value;
}

template <std::integral Number>
Result<std::vector<Number>> numbers_member(const nlohmann::json& json, const char* key) {
  KP_TRY(const nlohmann::json* list, list_member(json, key));
  std::vector<Number> numbers;
  for (const nlohmann::json& value : *list) {
    KP_TRY(const Number number, number_from<Number>(&value, key));
    numbers.push_back(number);
  }
  return numbers;
}

}  // namespace kp::device::cuda

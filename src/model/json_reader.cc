// SPDX-License-Identifier: Apache-2.0
#include "model/json_reader.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace kp {
namespace {

using Json = nlohmann::json;

const Json& empty_object() {
  static const Json empty = Json::object();
  return empty;
}

std::optional<double> real(const Json& value) {
  if (value.is_number()) return value.get<double>();
  if (!value.is_string()) return std::nullopt;
  const auto& text = value.get_ref<const std::string&>();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

}  // namespace

Json json_number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

JsonReader::JsonReader(const Json& object, std::string where, Fault& fault)
    : object_(object), where_(std::move(where)), fault_(fault) {
  if (!object.is_object() && !fault_) {
    fault_ =
        Error{ErrorCode::kCorrupt, fmt::format("`{}` is not a JSON object", where_), {}, {}, {}};
  }
}

void JsonReader::wrong(const char* key, const char* expected) const {
  if (fault_) return;
  const bool present = object_.is_object() && object_.contains(key);
  fault_ = Error{ErrorCode::kCorrupt,
                 fmt::format("`{}.{}` {}", where_, key,
                             present ? fmt::format("is not {}", expected) : "is missing"),
                 {},
                 {},
                 {}};
}

const Json* JsonReader::member(const char* key) const {
  if (!object_.is_object()) return nullptr;
  const auto found = object_.find(key);
  return found == object_.end() ? nullptr : &*found;
}

bool JsonReader::has(const char* key) const {
  const Json* value = member(key);
  return value != nullptr && !value->is_null();
}

double JsonReader::number(const char* key) const {
  const Json* value = member(key);
  const std::optional<double> found = value ? real(*value) : std::nullopt;
  if (!found) wrong(key, "a number");
  return found.value_or(0);
}

std::int64_t JsonReader::integer(const char* key) const {
  const Json* value = member(key);
  if (value && value->is_number_integer()) return value->get<std::int64_t>();
  wrong(key, "an integer");
  return 0;
}

bool JsonReader::flag(const char* key) const {
  const Json* value = member(key);
  if (value && value->is_boolean()) return value->get<bool>();
  wrong(key, "true or false");
  return false;
}

std::string JsonReader::text(const char* key) const {
  const Json* value = member(key);
  if (value && value->is_string()) return value->get<std::string>();
  wrong(key, "a string");
  return {};
}

std::vector<std::string> JsonReader::texts(const char* key) const {
  std::vector<std::string> out;
  const Json* value = member(key);
  if (!value || !value->is_array()) wrong(key, "an array of strings");
  if (!value || !value->is_array()) return out;
  for (const Json& item : *value) {
    if (!item.is_string()) wrong(key, "an array of strings");
    if (item.is_string()) out.push_back(item.get<std::string>());
  }
  return out;
}

JsonReader JsonReader::object(const char* key) const {
  const Json* value = member(key);
  if (!value || !value->is_object()) wrong(key, "an object");
  return {value && value->is_object() ? *value : empty_object(), where_ + "." + key, fault_};
}

void JsonReader::each(const char* key, const std::function<void(const JsonReader&)>& read) const {
  const Json* value = member(key);
  if (!value || !value->is_array()) return wrong(key, "an array");
  std::size_t index = 0;
  for (const Json& item : *value) {
    read(JsonReader(item, fmt::format("{}.{}[{}]", where_, key, index++), fault_));
  }
}

void JsonReader::each_member(
    const char* key, const std::function<void(const std::string&, const JsonReader&)>& read) const {
  const Json* value = member(key);
  if (!value || !value->is_object()) return wrong(key, "an object");
  for (const auto& [name, item] : value->items()) {
    read(name, JsonReader(item, fmt::format("{}.{}.{}", where_, key, name), fault_));
  }
}

}  // namespace kp

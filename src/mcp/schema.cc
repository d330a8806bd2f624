// SPDX-License-Identifier: Apache-2.0
#include "mcp/schema.h"

#include <string_view>

#include "model/json_schema.h"

namespace kp::mcp {
namespace {

using nlohmann::json;

json typed(const char* type, std::string description) {
  return {{"type", type}, {"description", std::move(description)}};
}

}  // namespace

json object_schema(Members members) {
  json schema = {
      {"type", "object"}, {"properties", json::object()}, {"additionalProperties", false}};
  json required = json::array();
  for (const auto& [name, member] : members) {
    std::string_view key = name;
    const bool optional = key.back() == '?';
    if (optional) key.remove_suffix(1);
    schema["properties"][std::string(key)] = member;
    if (!optional) required.push_back(key);
  }
  if (!required.empty()) schema["required"] = required;
  return schema;
}

json list_of(json element) { return {{"type", "array"}, {"items", std::move(element)}}; }
json text(std::string description) { return typed("string", std::move(description)); }
json number(std::string description) { return typed("number", std::move(description)); }
json flag(std::string description) { return typed("boolean", std::move(description)); }
json any(std::string description) { return {{"description", std::move(description)}}; }

json nullable(json schema) {
  schema["type"] = {schema["type"], "null"};
  return schema;
}

json integer(std::string description, std::int64_t least) {
  json schema = typed("integer", std::move(description));
  schema["minimum"] = least;
  return schema;
}

json one_of(std::string description, std::initializer_list<const char*> values) {
  json schema = typed("string", std::move(description));
  schema["enum"] = json(values);
  return schema;
}

Result<void> check_schema(const json& value, const json& schema) {
  return check_against(value, schema, "tools/list shows the schema");
}

}  // namespace kp::mcp

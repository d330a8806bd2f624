// SPDX-License-Identifier: Apache-2.0
#include "model/json_schema.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace kp {
namespace {

using Json = nlohmann::json;

const Json kSchema = Json::parse(R"({
  "type": "object", "required": ["kind"],
  "properties": {"kind": {"enum": ["a", "b"]}, "path": {"type": "string", "pattern": "^[^/]"}},
  "oneOf": [{"properties": {"kind": {"enum": ["a"]}}, "required": ["path"]},
            {"properties": {"kind": {"enum": ["b"]}}}]
})");

TEST(JsonSchema, AcceptsWhatFits) {
  EXPECT_TRUE(check_against({{"kind", "a"}, {"path", "x/y"}}, kSchema, ""));
  EXPECT_TRUE(check_against({{"kind", "b"}}, kSchema, ""));
}

TEST(JsonSchema, RefusesWhatDoesNot) {
  for (const Json& value : {Json::object(), Json{{"kind", "a"}}, Json{{"kind", "c"}},
                            Json{{"kind", "b"}, {"path", "/x"}}, Json("b")}) {
    EXPECT_FALSE(check_against(value, kSchema, "")) << value;
  }
}

TEST(JsonSchema, NamesTheMemberAndWhereTheSchemaIs) {
  const auto checked = check_against({{"kind", "b"}, {"path", 1}}, kSchema, "see there");
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().code, ErrorCode::kInvalidInput);
  EXPECT_NE(checked.error().message.find("path"), std::string::npos) << checked.error().message;
  EXPECT_EQ(checked.error().hint, "see there");
}

}  // namespace
}  // namespace kp

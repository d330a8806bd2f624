// SPDX-License-Identifier: Apache-2.0
#include "mcp/schema.h"

#include <gtest/gtest.h>

namespace kp::mcp {
namespace {

using nlohmann::json;

const json kSchema = object_schema({{"run", text("a folder")},
                                    {"count?", integer("how many", 1)},
                                    {"kind?", one_of("which", {"a", "b"})},
                                    {"tags?", list_of(text("a word"))},
                                    {"more?", any("whatever")}});

TEST(Schema, AcceptsWhatFits) {
  for (const json& value : {json{{"run", "x"}}, json{{"run", "x"}, {"count", 3}, {"kind", "b"}},
                            json{{"run", "x"}, {"tags", {"a", "b"}}, {"more", {{"a", 1}}}}}) {
    EXPECT_TRUE(check_schema(value, kSchema)) << value;
  }
}

TEST(Schema, RefusesWhatDoesNot) {
  for (const json& value : {json::object(), json{{"run", 1}}, json{{"run", "x"}, {"count", 0}},
                            json{{"run", "x"}, {"kind", "c"}}, json{{"run", "x"}, {"tags", {1}}},
                            json{{"run", "x"}, {"unknown", 1}}, json::array(), json("x")}) {
    EXPECT_FALSE(check_schema(value, kSchema)) << value;
  }
}

TEST(Schema, SaysWhichMemberIsWrong) {
  const auto checked = check_schema({{"run", "x"}, {"count", 0}}, kSchema);
  ASSERT_FALSE(checked);
  EXPECT_NE(checked.error().message.find("count"), std::string::npos) << checked.error().message;
}

}  // namespace
}  // namespace kp::mcp

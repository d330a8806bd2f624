// SPDX-License-Identifier: Apache-2.0
#include "llm/foreign_json.h"

#include <gtest/gtest.h>

namespace kp::llm {
namespace {

using Json = nlohmann::json;

TEST(ForeignJson, WhatNestsTooDeeplyIsNoJson) {
  const auto nested = [](std::size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']');
  };
  EXPECT_TRUE(parse_foreign(nested(50)));
  EXPECT_FALSE(parse_foreign(nested(1000)));
  EXPECT_FALSE(parse_foreign(nested(1'000'000)));
  EXPECT_FALSE(parse_foreign("{"));
  EXPECT_TRUE(arguments_from("{\"a\": " + nested(1000) + "}").is_string());
}

TEST(ForeignJson, ArgumentsAreAnObjectOrTheirText) {
  EXPECT_EQ(arguments_from(R"({"a": 1})")["a"], 1);
  EXPECT_EQ(arguments_from(" "), Json::object());
  EXPECT_EQ(arguments_from("[1]"), "[1]");
  EXPECT_EQ(arguments_from("{\"a\""), "{\"a\"");
  EXPECT_EQ(arguments_object("text"), (Json{{"unparsed", "text"}}));
}

TEST(ForeignJson, AComplaintIsFoundInTheFormsInUse) {
  for (const char* body :
       {R"({"error": {"message": "no"}})", R"({"error": "no"})",
        R"({"object": "error", "message": "no"})", R"({"detail": "no"})", "no"}) {
    EXPECT_EQ(complaint_in(std::string(body)), "no") << body;
  }
  EXPECT_EQ(complaint_in(std::string("<b>\x1b[31mred\n</b>")), "<b> [31mred </b>");
  EXPECT_EQ(complaint_in(std::string(10'000, 'x')).size(), 500u);
  EXPECT_EQ(complaint_in(std::string("{\"a\": 3}")), "{\"a\":3}");
}

TEST(ForeignJson, AnErrorInAStreamPassesUnlessTheRequestIsAtFault) {
  const auto error = [](const char* type, const char* message) {
    return reported({{"error", {{"type", type}, {"message", message}}}});
  };
  EXPECT_TRUE(error("overloaded_error", "busy").passing);
  EXPECT_TRUE(error("api_error", "oops").passing);
  EXPECT_FALSE(error("invalid_request_error", "bad").passing);
  EXPECT_FALSE(error("api_error", "prompt is too long: 3 > 2").passing);
  EXPECT_TRUE(reported({{"error", "text"}}).passing);
}

}  // namespace
}  // namespace kp::llm

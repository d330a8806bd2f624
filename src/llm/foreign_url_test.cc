// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "llm/catalog.h"

namespace kp::llm {
namespace {

TEST(ForeignUrl, is_any_server_but_the_usual_one_and_this_machine) {
  EXPECT_EQ(foreign_url("openai:m@https://gateway.example/v1"), "https://gateway.example/v1");
  EXPECT_EQ(foreign_url("anthropic:m@http://10.0.0.7:8000"), "http://10.0.0.7:8000");
  EXPECT_EQ(foreign_url("openai:m@https://api.openai.com.example/v1"),
            "https://api.openai.com.example/v1");
  EXPECT_EQ(foreign_url("openai:m@https://api.anthropic.com"), "https://api.anthropic.com")
      << "the other client's key has no business there";
}

TEST(ForeignUrl, is_not_what_needs_no_trust) {
  for (const char* spec :
       {"openai:m", "anthropic:m@20260101", "openai:m@https://api.openai.com/v1",
        "openai:m@http://127.0.0.1:8000/v1", "anthropic:m@http://localhost:1", "rewriter",
        "scripted-chat:https://x", "replay:file", "command:curl https://x", "openai:@:://"}) {
    EXPECT_EQ(foreign_url(spec), std::nullopt) << spec;
  }
}

}  // namespace
}  // namespace kp::llm

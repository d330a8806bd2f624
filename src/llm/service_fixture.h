// SPDX-License-Identifier: Apache-2.0
// A client of either dialect against a server that follows a script. For tests.
#pragma once
#include <gtest/gtest.h>

#include <cstdlib>

#include "llm/catalog.h"
#include "llm/fake_clock.h"
#include "llm/local_server.h"

namespace kp::llm {

inline Prompt asking(std::string text) {
  Prompt prompt;
  prompt.system = "You write kernels.";
  prompt.messages = {{.speaker = Speaker::kUser, .text = std::move(text)}};
  return prompt;
}

/// The parameter is "anthropic" or "openai".
class ServiceTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    ::unsetenv("KERNELPRO_KEYS");
    ::setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
    ::setenv("ANTHROPIC_API_KEY", "sk-very-secret", 1);
    ::setenv("OPENAI_API_KEY", "sk-very-secret", 1);
    // A proxy that does not exist: this machine must be reached without it.
    ::setenv("http_proxy", "http://127.0.0.1:1", 1);
    options_.clock = clock_;
  }
  void TearDown() override { ::unsetenv("http_proxy"); }

  bool anthropic() const { return GetParam() == "anthropic"; }
  std::string spec(const std::string& address) const {
    return GetParam() + ":m-1@" + address + (anthropic() ? "" : "/v1");
  }
  std::unique_ptr<Chat> chat(const std::string& address) const {
    auto made = make_chat(spec(address), options_);
    EXPECT_TRUE(made) << made.error().text();
    return *std::move(made);
  }
  /// The reply to one prompt under a script.
  Result<Reply> ask(const nlohmann::json& script, const Prompt& prompt = asking("go")) {
    LocalServer server(script);
    auto reply = chat(server.address())->complete(prompt, stop_);
    requests_ = server.requests();
    return reply;
  }
  nlohmann::json body(std::size_t request = 0) const {
    return request < requests_.size() ? requests_[request]["body"] : nlohmann::json();
  }

  std::shared_ptr<FakeClock> clock_ = std::make_shared<FakeClock>();
  ChatOptions options_;
  StopFlag stop_;
  std::vector<nlohmann::json> requests_;
};

}  // namespace kp::llm

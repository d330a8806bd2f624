// SPDX-License-Identifier: Apache-2.0
#include "llm/endpoint.h"

#include <gtest/gtest.h>

namespace kp::llm {
namespace {

constexpr std::string_view kUsual = "https://api.example.com/v1";

TEST(Endpoint, WithoutAnAddressTheUsualOneHolds) {
  const auto endpoint = parse_endpoint("gpt-9", kUsual);
  ASSERT_TRUE(endpoint);
  EXPECT_EQ(endpoint->model, "gpt-9");
  EXPECT_EQ(endpoint->url, kUsual);
  EXPECT_EQ(endpoint->host, "api.example.com");
  EXPECT_TRUE(endpoint->encrypted);
  EXPECT_FALSE(endpoint->loopback);
}

TEST(Endpoint, AModelMayHoldColonsSlashesAndAnAt) {
  const auto endpoint = parse_endpoint("org/qwen3:32b@q4@http://127.0.0.1:11434/v1/", kUsual);
  ASSERT_TRUE(endpoint);
  EXPECT_EQ(endpoint->model, "org/qwen3:32b@q4");
  EXPECT_EQ(endpoint->url, "http://127.0.0.1:11434/v1");
  EXPECT_EQ(parse_endpoint("claude@20260101", kUsual)->model, "claude@20260101");
  EXPECT_EQ(model_of("openai:org/qwen3:32b@q4@http://127.0.0.1:11434/v1"), "org/qwen3:32b@q4");
  EXPECT_EQ(model_of("anthropic:claude"), "claude");
}

TEST(Endpoint, OnlyThisMachineIsLoopback) {
  const auto loopback = [](const std::string& host) {
    const auto endpoint = parse_endpoint("m@http://" + host + ":8000/v1", kUsual);
    EXPECT_TRUE(endpoint) << host;
    return endpoint && endpoint->loopback;
  };
  for (const char* host : {"localhost", "127.0.0.1", "127.9.9.9", "[::1]"}) {
    EXPECT_TRUE(loopback(host)) << host;
  }
  for (const char* host : {"127.0.0.1.example.com", "localhost.example.com", "10.0.0.1", "[::2]",
                           "127.1", "0.0.0.0", "2130706433"}) {
    EXPECT_FALSE(loopback(host)) << host;
  }
}

TEST(Endpoint, AnAddressThatReadersCouldReadDifferentlyIsRefused) {
  for (const char* url : {"ftp://host/v1", "http://", "https:///v1", "http://user:password@host/v1",
                          "http://host:99999/v1", "http://host:/v1", "http://host:8x/v1",
                          "http://ho st/v1", "http://host\\@other/v1", "http://host/v1?key=1",
                          "http://host/v1#x", "http://[::1/v1", "http://host\r\nx: y/v1"}) {
    const auto endpoint = parse_endpoint(std::string("m@") + url, kUsual);
    ASSERT_FALSE(endpoint) << url;
    EXPECT_EQ(endpoint.error().code, ErrorCode::kInvalidInput) << url;
    EXPECT_EQ(endpoint.error().text().find("password"), std::string::npos);
  }
  EXPECT_FALSE(parse_endpoint("@http://127.0.0.1/v1", kUsual));
  EXPECT_FALSE(parse_endpoint("", kUsual));
}

}  // namespace
}  // namespace kp::llm

// SPDX-License-Identifier: Apache-2.0
// A server on one end of a socket pair and a client on the other, for tests.
#pragma once
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "base/descriptor.h"
#include "mcp/server.h"

namespace kp::mcp {

class Dialogue {
 public:
  Dialogue(std::vector<Tool> tools, std::vector<Path> roots) {
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    servers_ = Descriptor(ends[0]);
    clients_ = Descriptor(ends[1]);
    channel_.emplace(servers_.number(), servers_.number());
    client_.emplace(clients_.number(), clients_.number());
    server_.emplace(Introduction{"kernelpro", "1", "use it"}, std::move(tools), std::move(roots),
                    *channel_);
    thread_ = std::thread([this] { served_ = server_->serve(stop_).has_value(); });
  }
  Dialogue(const Dialogue&) = delete;
  Dialogue& operator=(const Dialogue&) = delete;
  ~Dialogue() {
    ::shutdown(clients_.number(), SHUT_WR);
    thread_.join();
    EXPECT_TRUE(served_);
  }

  void send(const nlohmann::json& message) { EXPECT_TRUE(client_->write(message)); }
  void send_bytes(std::string_view bytes) {
    EXPECT_EQ(::write(clients_.number(), bytes.data(), bytes.size()),
              static_cast<ssize_t>(bytes.size()));
  }
  void call(const nlohmann::json& id, const std::string& tool, nlohmann::json arguments,
            nlohmann::json about = nlohmann::json::object()) {
    send(request(
        id, "tools/call",
        {{"name", tool}, {"arguments", std::move(arguments)}, {"_meta", std::move(about)}}));
  }
  /// The next message of the server.
  nlohmann::json next() {
    const auto line = client_->read(stop_);
    return line && *line ? nlohmann::json::parse(**line) : nlohmann::json();
  }
  nlohmann::json greet(const char* revision,
                       nlohmann::json capabilities = nlohmann::json::object()) {
    send(request(0, "initialize", {{"protocolVersion", revision}, {"capabilities", capabilities}}));
    nlohmann::json answer = next();
    send(notification("notifications/initialized", nlohmann::json::object()));
    return answer;
  }

 private:
  StopFlag stop_;
  Descriptor servers_, clients_;
  std::optional<LineChannel> channel_, client_;
  std::optional<Server> server_;
  std::thread thread_;
  bool served_ = false;
};

}  // namespace kp::mcp

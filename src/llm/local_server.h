// SPDX-License-Identifier: Apache-2.0
// tests/llm_server for as long as a test wants it.
#pragma once
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/process.h"
#include "base/text.h"

namespace kp::llm {

class LocalServer {
 public:
  explicit LocalServer(const nlohmann::json& script, std::vector<std::string> options = {}) {
    EXPECT_TRUE(write_file(folder_.path() / "script.json", script.dump()));
    ChildSpec spec{
        .command = {"python3", std::string(KP_SOURCE_DIR) + "/tests/llm_server/llm_server.py",
                    (folder_.path() / "script.json").string(), "--log", log().string()},
        .inherit_environment = true};
    spec.command.insert(spec.command.end(), options.begin(), options.end());
    auto process = Process::start(spec);
    EXPECT_TRUE(process) << process.error().text();
    process_ = *std::move(process);
    read_port();
  }

  /// "http://127.0.0.1:PORT"
  std::string address() const { return "http://127.0.0.1:" + port_; }
  /// What was asked so far: path, headers, body.
  std::vector<nlohmann::json> requests() const {
    std::vector<nlohmann::json> list;
    const auto text = read_file(log());
    if (!text) return list;
    for (const std::string_view line : split_lines(*text)) {
      list.push_back(nlohmann::json::parse(line));
    }
    return list;
  }
  void kill() { process_->kill(); }

 private:
  Path log() const { return folder_.path() / "log.jsonl"; }

  void read_port() {
    constexpr std::string_view kLabel = "PORT ";
    std::string text;
    while (text.find('\n') == std::string::npos) {
      const bool ended = process_->wait(std::chrono::milliseconds(5)).has_value();
      text += process_->text();
      if (ended) break;
    }
    EXPECT_TRUE(text.starts_with(kLabel)) << text;
    port_ = std::string(trim(text.substr(std::min(kLabel.size(), text.size()))));
  }

  TemporaryFolder folder_ = *TemporaryFolder::make();
  std::optional<Process> process_;
  std::string port_;
};

}  // namespace kp::llm

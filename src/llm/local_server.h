// SPDX-License-Identifier: Apache-2.0
// tests/llm_server for as long as a test or a benchmark wants it.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/file.h"
#include "base/process.h"
#include "base/text.h"

namespace kp::llm {

class LocalServer {
 public:
  explicit LocalServer(const nlohmann::json& script, std::vector<std::string> options = {}) {
    const auto written = write_file(folder_.path() / "script.json", script.dump());
    KP_CHECK(written.has_value(), "a temporary file can be written");
    ChildSpec spec{
        .command = {"python3", std::string(KP_SOURCE_DIR) + "/tests/llm_server/llm_server.py",
                    (folder_.path() / "script.json").string(), "--log", log().string()},
        .inherit_environment = true};
    spec.command.insert(spec.command.end(), options.begin(), options.end());
    auto process = Process::start(spec);
    KP_CHECK(process.has_value(), "python3 starts");
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
      KP_CHECK(!process_->wait(std::chrono::milliseconds(5)), "the server runs: " + text);
      text += process_->text();
    }
    KP_CHECK(text.starts_with(kLabel), text);
    port_ = trim(std::string_view(text).substr(kLabel.size()));
  }

  TemporaryFolder folder_ = *TemporaryFolder::make();
  std::optional<Process> process_;
  std::string port_;
};

}  // namespace kp::llm

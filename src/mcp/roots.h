// SPDX-License-Identifier: Apache-2.0
// The folders that a client lets the server work in.
#pragma once
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"

namespace kp::mcp {

class Roots {
 public:
  /// Until a client grants others, `folders` count.
  explicit Roots(std::vector<Path> folders);

  /// The client was asked and has not answered: admit() waits for it.
  void expect();
  /// Takes the answer to roots/list; only file:// addresses count. An answer without a usable root
  /// leaves what was granted before.
  void grant(const nlohmann::json& answer);
  /// `path`, relative ones from the first root, with symbolic links resolved, when it lies in a
  /// root. kInvalidInput otherwise.
  Result<Path> admit(const std::string& path, std::chrono::milliseconds patience);

 private:
  std::mutex changing_;
  std::condition_variable answered_;
  bool expecting_ = false;
  std::vector<Path> folders_;
};

}  // namespace kp::mcp

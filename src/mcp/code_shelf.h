// SPDX-License-Identifier: Apache-2.0
// The source trees that clients may search, opened when the first asks.
#pragma once
#include <chrono>
#include <optional>
#include <vector>

#include "codesearch/index.h"

namespace kp::mcp {

/// For the thread of quick calls alone.
class CodeShelf {
 public:
  explicit CodeShelf(std::vector<Path> roots) : roots_(std::move(roots)) {}
  /// Up to date as of half a minute ago at most. kInvalidInput when there are no roots.
  Result<codesearch::Index*> index();

 private:
  std::vector<Path> roots_;
  std::optional<codesearch::Index> index_;
  std::chrono::steady_clock::time_point refreshed_;
};

}  // namespace kp::mcp

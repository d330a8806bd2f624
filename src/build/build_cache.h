// SPDX-License-Identifier: Apache-2.0
// Compiler answers by content address, shared by all processes of a user. Failures are answers too.
#pragma once
#include <optional>
#include <string>

#include "base/file.h"
#include "build/compile.h"

namespace kp::build {

class BuildCache {
 public:
  explicit BuildCache(Path folder) : folder_(std::move(folder)) {}
  /// Absent when nobody stored it or when the entry is damaged.
  std::optional<Compiled> find(const std::string& address) const;
  Result<void> store(const std::string& address, const Compiled& compiled) const;
  const Path& folder() const { return folder_; }

 private:
  Path path_of(const std::string& address) const;
  Path folder_;
};

/// compile(), asked at most once for each address.
Result<std::variant<Compiled, TimedOut>> compile_cached(const CompileRequest& request,
                                                        const Toolchain& toolchain,
                                                        const BuildCache& cache);

}  // namespace kp::build

// SPDX-License-Identifier: Apache-2.0
// Who is judging what, among the processes that share a run: one byte of run.claims for each
// proposal, locked by the process that is at it. The kernel drops the lock when that process dies.
#pragma once
#include <optional>

#include "base/descriptor.h"
#include "base/file.h"
#include "base/result.h"

namespace kp::store {

class Claim {
 public:
  /// Nothing when somebody holds it. What is claimed may have been judged by its last holder.
  static Result<std::optional<Claim>> take(const Path& folder, int proposal);
  /// Whether somebody is at it now.
  static bool held(const Path& folder, int proposal);

 private:
  explicit Claim(Descriptor file) : file_(std::move(file)) {}
  Descriptor file_;
};

}  // namespace kp::store

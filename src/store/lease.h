// SPDX-License-Identifier: Apache-2.0
// Who may write to a run: one process that drives it alone, or several that share it step by step.
// The lease is an advisory lock on a file in the run folder: the kernel drops it when its holder
// dies, however it dies.
#pragma once
#include "base/file.h"
#include "base/result.h"

namespace kp::store {

class Lease {
 public:
  /// Alone. kBusy names the process that holds it, or one of those that share it.
  static Result<Lease> take(const Path& folder);
  /// Beside others. kBusy names the process that drives the run alone.
  static Result<Lease> share(const Path& folder);
  Lease(Lease&& other) noexcept;
  Lease& operator=(Lease&& other) noexcept;
  ~Lease();

 private:
  explicit Lease(int descriptor) : descriptor_(descriptor) {}
  int descriptor_ = -1;
};

}  // namespace kp::store

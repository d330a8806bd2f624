// SPDX-License-Identifier: Apache-2.0
// Asking a long computation to end: Ctrl-C, a time budget. Checked between steps, never inside one.
#pragma once
#include <atomic>

namespace kp {

/// Set from a signal handler or another thread; read by loops.
class StopFlag {
 public:
  void request() { requested_.store(true, std::memory_order_relaxed); }
  bool requested() const { return requested_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> requested_{false};
};

}  // namespace kp

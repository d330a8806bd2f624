// SPDX-License-Identifier: Apache-2.0
// Time as retries see it, so that tests need not wait.
#pragma once
#include <chrono>
#include <memory>

#include "base/stop.h"

namespace kp::llm {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::chrono::steady_clock::time_point now() const = 0;
  /// Returns early, within 100 ms, once `stop` was requested.
  virtual void sleep(std::chrono::milliseconds duration, const StopFlag& stop) = 0;
};

std::shared_ptr<Clock> host_clock();

}  // namespace kp::llm

// SPDX-License-Identifier: Apache-2.0
// A clock for tests: sleeping takes no time and is remembered.
#pragma once
#include <vector>

#include "llm/clock.h"

namespace kp::llm {

class FakeClock final : public Clock {
 public:
  std::chrono::steady_clock::time_point now() const override { return now_; }
  void sleep(std::chrono::milliseconds duration, const StopFlag&) override {
    now_ += duration;
    sleeps.push_back(duration);
  }
  std::vector<std::chrono::milliseconds> sleeps;

 private:
  std::chrono::steady_clock::time_point now_{std::chrono::hours(1)};
};

}  // namespace kp::llm

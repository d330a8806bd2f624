// SPDX-License-Identifier: Apache-2.0
#include "llm/clock.h"

#include <algorithm>
#include <thread>

namespace kp::llm {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kSlice{50};  // how late a request to stop may be seen

class HostClock final : public Clock {
 public:
  steady_clock::time_point now() const override { return steady_clock::now(); }

  void sleep(milliseconds duration, const StopFlag& stop) override {
    const auto end = now() + duration;
    for (auto left = duration; left.count() > 0 && !stop.requested();) {
      std::this_thread::sleep_for(std::min(left, kSlice));
      left = std::chrono::ceil<milliseconds>(end - now());
    }
  }
};

}  // namespace

std::shared_ptr<Clock> host_clock() { return std::make_shared<HostClock>(); }

}  // namespace kp::llm

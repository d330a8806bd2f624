// SPDX-License-Identifier: Apache-2.0
#include "mcp/lane.h"

#include <utility>

namespace kp::mcp {

Lane::Lane() : thread_([this] { work(); }) {}

Lane::~Lane() {
  {
    const std::lock_guard lock(changing_);
    closing_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Lane::add(std::function<void()> job) {
  {
    const std::lock_guard lock(changing_);
    jobs_.push_back(std::move(job));
  }
  changed_.notify_one();
}

void Lane::work() {
  std::unique_lock lock(changing_);
  while (true) {
    changed_.wait(lock, [this] { return closing_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    const auto job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
    lock.lock();
  }
}

}  // namespace kp::mcp

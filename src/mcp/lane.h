// SPDX-License-Identifier: Apache-2.0
// A thread that does one job after another, in the order in which they come.
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace kp::mcp {

class Lane {
 public:
  Lane();
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;
  /// Waits for all jobs.
  ~Lane();
  void add(std::function<void()> job);

 private:
  void work();

  std::mutex changing_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  bool closing_ = false;
  std::thread thread_;
};

}  // namespace kp::mcp

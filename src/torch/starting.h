// SPDX-License-Identifier: Apache-2.0
// A worker whose process imports PyTorch, which takes seconds, while its owner does something else.
#pragma once
#include "torch/conversation.h"

namespace kp::torch {

class Starting {
 public:
  /// Returns at once.
  static Starting begin(const WorkerOptions& options);
  /// Waits for it, once. As Worker::start().
  Result<std::unique_ptr<Worker>> finish();

 private:
  std::string device_;
  Result<std::unique_ptr<Conversation>> conversation_;
};

}  // namespace kp::torch

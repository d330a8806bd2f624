// SPDX-License-Identifier: Apache-2.0
// Requests and answers with somebody who has PyTorch, or with a recording of it.
#pragma once
#include <chrono>
#include <nlohmann/json.hpp>

#include "torch/worker.h"

namespace kp::torch {

struct Request {
  nlohmann::json body;  // protocol.h
  Tensors arrays{};
  std::chrono::milliseconds deadline{60'000};
  std::vector<int> descriptors{};  // that travel beside it; those of arrays are none of them
};
struct Answer {
  nlohmann::json body;  // "ok" is true
  Tensors arrays{};
};

class Conversation {
 public:
  virtual ~Conversation() = default;
  /// The error is what the other side says, or what became of it.
  virtual Result<Answer> ask(const Request& request) = 0;
  /// Does what the first request would wait for, as far as that goes without waiting.
  virtual void begin() {}
};

/// What the process serves: the judge, or a candidate (guest.h).
enum class Role { kWorker, kGuest };

/// With a process of `python`, which is started by the first request and anew by the next one after
/// it is lost; problems are loaded again.
Result<std::unique_ptr<Conversation>> live_conversation(const WorkerOptions& options,
                                                        Role role = Role::kWorker);

}  // namespace kp::torch

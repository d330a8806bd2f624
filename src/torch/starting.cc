// SPDX-License-Identifier: Apache-2.0
#include "torch/starting.h"

#include "torch/client.h"

namespace kp::torch {

Starting Starting::begin(const WorkerOptions& options) {
  Starting starting;
  starting.device_ = options.device;
  starting.conversation_ = live_conversation(options);
  if (starting.conversation_) (*starting.conversation_)->begin();
  return starting;
}

Result<std::unique_ptr<Worker>> Starting::finish() {
  KP_TRY(std::unique_ptr<Conversation> conversation, std::move(conversation_));
  return make_client(std::move(conversation), device_);
}

}  // namespace kp::torch

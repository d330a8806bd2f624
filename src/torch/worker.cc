// SPDX-License-Identifier: Apache-2.0
#include "torch/worker.h"

#include "torch/client.h"

namespace kp::torch {

Result<std::unique_ptr<Worker>> Worker::start(const WorkerOptions& options) {
  KP_TRY(std::unique_ptr<Conversation> conversation, live_conversation(options));
  return make_client(std::move(conversation), options.device);
}

}  // namespace kp::torch

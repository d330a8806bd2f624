// SPDX-License-Identifier: Apache-2.0
#include "torch/worker.h"

#include "stats/stats.h"
#include "torch/client.h"

namespace kp::torch {

std::optional<double> Timed::median(const std::string& mode) const {
  const auto runs = nanoseconds.find(mode);
  if (runs == nanoseconds.end() || runs->second.empty()) return {};
  return stats::median(runs->second);
}

Result<std::unique_ptr<Worker>> Worker::start(const WorkerOptions& options) {
  KP_TRY(std::unique_ptr<Conversation> conversation, live_conversation(options));
  return make_client(std::move(conversation), options.device);
}

}  // namespace kp::torch

// SPDX-License-Identifier: Apache-2.0
#include "harness/torch_problem.h"

namespace kp::harness {
namespace {

Result<void> start(TorchProblem& torch, const std::string& device) {
  KP_TRY(auto worker, torch::Worker::start({.device = device}));
  KP_TRY(torch.problem, worker->load(torch.file));
  torch.worker = std::move(worker);
  return {};
}

}  // namespace

Result<std::shared_ptr<TorchProblem>> open_torch_problem(const Path& file,
                                                         const std::string& device) {
  auto torch = std::make_shared<TorchProblem>();
  torch->file = file;
  if (device != "cpu") {
    const auto started = start(*torch, device);
    torch->on_gpu = started.has_value();
    if (started) return torch;
    torch->why_not = started.error().message;
  }
  KP_TRY_VOID(start(*torch, "cpu"));
  return torch;
}

Result<void> leave_gpu(TorchProblem& torch, std::string why_not) {
  torch.worker.reset();
  torch.on_gpu = false;
  torch.why_not = std::move(why_not);
  return start(torch, "cpu");
}

}  // namespace kp::harness

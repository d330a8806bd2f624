// SPDX-License-Identifier: Apache-2.0
#include "harness/torch_problem.h"

#include "device/cuda.h"

namespace kp::harness {
namespace {

Result<void> open_on(TorchProblem& torch, torch::Starting starting) {
  KP_TRY(auto worker, starting.finish());
  KP_TRY(torch.problem, worker->load(torch.file));
  torch.worker = std::move(worker);
  return {};
}

Result<void> open_on_cpu(TorchProblem& torch) {
  return open_on(torch, torch::Starting::begin({.device = "cpu"}));
}

}  // namespace

TorchStart begin_torch_problem(const Path& file, const std::string& device) {
  return {torch::Starting::begin({.device = device}), file, device};
}

std::shared_ptr<TorchStart> torch_ahead(const Path& task, const std::string& device) {
  const bool gpu = device.starts_with("cuda") || (device.empty() && device::has_cuda_driver());
  if (!gpu || task.extension() != ".py") return nullptr;
  const std::string name = device.find(':') == std::string::npos ? "cuda:0" : device;
  return std::make_shared<TorchStart>(begin_torch_problem(task, name));
}

Result<std::shared_ptr<TorchProblem>> finish(TorchStart start) {
  auto torch = std::make_shared<TorchProblem>();
  torch->file = start.file;
  const auto opened = open_on(*torch, std::move(start.starting));
  torch->on_gpu = opened && start.device != "cpu";
  if (opened) return torch;
  if (start.device == "cpu") return tl::unexpected<Error>(opened.error());
  torch->why_not = opened.error().message;
  KP_TRY_VOID(open_on_cpu(*torch));
  return torch;
}

Result<void> leave_gpu(TorchProblem& torch, std::string why_not) {
  torch.worker.reset();
  torch.on_gpu = false;
  torch.why_not = std::move(why_not);
  return open_on_cpu(torch);
}

}  // namespace kp::harness

// SPDX-License-Identifier: Apache-2.0
// A task's Python file in a process that holds PyTorch: one for the whole judgement, on the GPU
// that is judged on where PyTorch can use it.
#pragma once
#include <memory>
#include <string>

#include "harness/reference.h"
#include "torch/starting.h"

namespace kp::harness {

struct TorchProblem {
  std::unique_ptr<torch::Worker> worker;
  torch::Problem problem;
  Path file;
  bool on_gpu = false;
  std::string why_not;  // on the GPU, where that was asked for
};

/// A process that gets ready by itself.
struct TorchStart {
  torch::Starting starting;
  Path file;
  std::string device;
};
/// `device`: "cpu", "cuda:0".
TorchStart begin_torch_problem(const Path& file, const std::string& device);
/// For the task at `task`, which is still to be read, on `device` as open_device() understands it:
/// where that is a GPU and the task is a Python file, so that both begin at once. Null for others.
std::shared_ptr<TorchStart> torch_ahead(const Path& task, const std::string& device);
/// Waits for it. Where PyTorch cannot use the GPU, it runs on the CPU and `why_not` says why.
/// Errors: there is no PyTorch (kUnavailable says how to get it), the file does not run.
Result<std::shared_ptr<TorchProblem>> finish(TorchStart start);

/// From now on everything is computed on the CPU, by a process of its own.
Result<void> leave_gpu(TorchProblem& torch, std::string why_not);

/// The task's own reference: the Python file in double.
std::unique_ptr<Reference> torch_reference(std::shared_ptr<TorchProblem> torch, const Task& task);

}  // namespace kp::harness

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "harness/reference.h"
#include "torch/worker.h"

namespace kp::harness {
namespace {

class TorchReference : public Reference {
 public:
  TorchReference(std::unique_ptr<torch::Worker> worker, torch::Problem problem, const Task& task)
      : worker_(std::move(worker)), problem_(std::move(problem)) {
    for (const Tensor& tensor : task.declaration.tensors) {
      if (tensor.role == TensorRole::kOutput || tensor.role == TensorRole::kInOut)
        outputs_.push_back(tensor.name);
    }
  }

  Result<TensorValues> compute(const Workload& workload, const TensorValues& inputs,
                               std::uint64_t) override {
    KP_TRY(auto made, worker_->compute({problem_.number, workload.constants, inputs}));
    return by_name(std::move(made));
  }

  bool varies() const override { return false; }
  std::string note() const override {
    return "oracle: PyTorch " + worker_->installation().torch_version + " in double";
  }

 private:
  /// Outputs of a definition have names of their own; Python gives them in the same order.
  Result<TensorValues> by_name(TensorValues made) const {
    if (made.size() != outputs_.size())
      return fail(ErrorCode::kInvalidInput,
                  fmt::format("{} gives {} outputs, the task has {}", problem_.name, made.size(),
                              outputs_.size()),
                  "make the reference and the definition agree");
    // "out", or "out0", "out1", ..., "out10".
    std::vector<std::string> names;
    for (const auto& [name, values] : made) names.push_back(name);
    std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
      return std::pair(a.size(), a) < std::pair(b.size(), b);
    });
    TensorValues named;
    for (std::size_t i = 0; i < names.size(); ++i)
      named[outputs_[i]] = std::move(made.at(names[i]));
    return named;
  }

  std::unique_ptr<torch::Worker> worker_;
  torch::Problem problem_;
  std::vector<std::string> outputs_;  // in order of declaration
};

}  // namespace

Result<std::unique_ptr<Reference>> open_torch_reference(const Task& task) {
  // Double on the host's cores: check workloads are small, and the GPU is the candidate's.
  KP_TRY(auto worker, torch::Worker::start({}));
  KP_TRY(torch::Problem problem, worker->load(task.oracle.source));
  return std::unique_ptr<Reference>(
      std::make_unique<TorchReference>(std::move(worker), std::move(problem), task));
}

}  // namespace kp::harness

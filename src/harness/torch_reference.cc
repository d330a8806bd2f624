// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "harness/torch_problem.h"

namespace kp::harness {
namespace {

class TorchReference : public Reference {
 public:
  TorchReference(std::shared_ptr<TorchProblem> torch, const Task& task) : torch_(std::move(torch)) {
    for (const Tensor& tensor : task.declaration.tensors) {
      if (is_output(tensor)) outputs_.push_back(tensor.name);
    }
  }

  Result<TensorValues> compute(const Workload& workload, const TensorValues& inputs,
                               std::uint64_t) override {
    auto made = asked(workload, inputs);
    if (!made && torch_->on_gpu) {
      // What the GPU cannot do, such as an operation that is not there in double, the CPU may.
      KP_TRY_VOID(leave_gpu(*torch_, made.error().message));
      made = asked(workload, inputs);
    }
    KP_TRY(TensorValues values, std::move(made));
    return by_name(std::move(values));
  }

  bool varies() const override { return false; }
  std::string note() const override {
    return "oracle: PyTorch " + torch_->worker->installation().torch_version + " in double";
  }

 private:
  Result<TensorValues> asked(const Workload& workload, const TensorValues& inputs) {
    return torch_->worker->compute({torch_->problem.number, workload.constants, inputs});
  }

  /// Outputs of a definition have names of their own; Python gives them in the same order.
  Result<TensorValues> by_name(TensorValues made) const {
    if (made.size() != outputs_.size())
      return fail(ErrorCode::kInvalidInput,
                  fmt::format("{} gives {} outputs, the task has {}", torch_->problem.name,
                              made.size(), outputs_.size()),
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

  std::shared_ptr<TorchProblem> torch_;
  std::vector<std::string> outputs_;  // in order of declaration
};

}  // namespace

std::unique_ptr<Reference> torch_reference(std::shared_ptr<TorchProblem> torch, const Task& task) {
  return std::make_unique<TorchReference>(std::move(torch), task);
}

Result<std::unique_ptr<Reference>> open_torch_reference(const Task& task) {
  KP_TRY(auto torch, finish(begin_torch_problem(task.oracle.source, "cpu")));
  return torch_reference(std::move(torch), task);
}

}  // namespace kp::harness

// SPDX-License-Identifier: Apache-2.0
#include "harness/reference.h"
#include "torch/worker.h"

namespace kp::harness {
namespace {

class TorchReference : public Reference {
 public:
  TorchReference(std::unique_ptr<torch::Worker> worker, torch::Problem problem)
      : worker_(std::move(worker)), problem_(std::move(problem)) {}

  Result<TensorValues> compute(const Workload& workload, const TensorValues& inputs,
                               std::uint64_t) override {
    return worker_->compute({problem_.number, workload.constants, inputs});
  }

  bool varies() const override { return false; }
  std::string note() const override {
    return "oracle: PyTorch " + worker_->installation().torch_version + " in double";
  }

 private:
  std::unique_ptr<torch::Worker> worker_;
  torch::Problem problem_;
};

}  // namespace

Result<std::unique_ptr<Reference>> open_torch_reference(const Task& task) {
  // Double on the host's cores: check workloads are small, and the GPU is the candidate's.
  KP_TRY(auto worker, torch::Worker::start({}));
  KP_TRY(torch::Problem problem, worker->load(task.oracle.source));
  return std::unique_ptr<Reference>(
      std::make_unique<TorchReference>(std::move(worker), std::move(problem)));
}

}  // namespace kp::harness

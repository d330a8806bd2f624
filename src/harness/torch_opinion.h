// SPDX-License-Identifier: Apache-2.0
// PyTorch in double on the GPU as the reference for timed outputs. It reads inputs and writes
// answers where the referee fills and compares them.
#pragma once
#include <map>

#include "harness/opinion.h"

namespace kp::harness {

class TorchOpinion : public Opinion {
 public:
  /// `second` is asked where PyTorch is of no use; it may be null.
  TorchOpinion(const Task& task, device::Hardware& hardware, std::shared_ptr<TorchProblem> torch,
               std::unique_ptr<Opinion> second)
      : task_(task), hardware_(hardware), torch_(std::move(torch)), second_(std::move(second)) {}

  /// Whether a workload can be computed in double is tried here, before a candidate has any memory:
  /// no candidate decides by what it is judged. What does not fit or does not work is not tried
  /// again.
  Result<OpenedAnswers> answers(const Workload& workload, Precision precision,
                                Referee& referee) override;
  Result<TensorValues> outputs(const Workload& workload, const TensorValues& inputs) override;
  Path source() const override { return torch_->file; }

 private:
  Result<OpenedAnswers> fall_back(const Workload& workload, Precision precision, Referee& referee,
                                  const std::string& why);

  const Task& task_;
  device::Hardware& hardware_;
  std::shared_ptr<TorchProblem> torch_;
  std::unique_ptr<Opinion> second_;
  std::map<std::string, std::string> failures_;  // by workload: why
};

}  // namespace kp::harness

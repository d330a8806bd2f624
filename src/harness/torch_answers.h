// SPDX-License-Identifier: Apache-2.0
// What PyTorch answers for one workload. Used by torch_opinion.cc.
#pragma once
#include <map>

#include "harness/opinion.h"
#include "harness/shared_block.h"

namespace kp::harness {

struct TorchAnswersRequest {
  const Task& task;
  const Workload& workload;
  device::Hardware& hardware;
  TorchProblem& torch;
};

class TorchAnswers : public Answers {
 public:
  /// Room for inputs and one answer in double; nothing has been asked. kLimit: it does not fit
  /// beside two sets of the task's own arrays.
  static Result<std::unique_ptr<TorchAnswers>> open(const TorchAnswersRequest& request);
  ~TorchAnswers() override;

  /// Asks for one answer, to see that there is one and how much memory it takes, and makes room for
  /// another where there is more. kLimit: there is not enough for one.
  Result<void> prepare(Referee& referee, Precision precision);

  /// kBusy when PyTorch does not answer any more.
  Result<void> compute(const ArraySet& set, Referee& referee) override;
  Expected expected(const Tensor& output) const override;
  std::uint64_t bytes() const override;
  /// For inputs that come from the host.
  Result<TensorValues> outputs(const TensorValues& inputs);

 private:
  TorchAnswers(const TorchAnswersRequest& request, std::map<std::string, double> numbers)
      : request_(request), numbers_(std::move(numbers)) {}
  Result<void> answer(const SharedBlock& into);
  Result<std::vector<Filling>> drawn(Referee& referee) const;
  Result<void> check_room(std::uint64_t more) const;

  TorchAnswersRequest request_;
  std::map<std::string, double> numbers_;  // scalars of the task
  std::unique_ptr<SharedBlock> inputs_, plain_, nudged_;
  double nudge_ = 0;
  std::uint64_t kept_ = 0;  // bytes that PyTorch holds
};

}  // namespace kp::harness

// SPDX-License-Identifier: Apache-2.0
#include "harness/torch_opinion.h"

#include <fmt/format.h>

#include "harness/torch_answers.h"

namespace kp::harness {

Result<OpenedAnswers> TorchOpinion::answers(const Workload& workload, Precision precision,
                                            Referee& referee) {
  if (!torch_->on_gpu) return fall_back(workload, precision, referee, torch_->why_not);
  if (const auto known = failures_.find(workload.name); known != failures_.end())
    return fall_back(workload, precision, referee, known->second);
  auto opened = TorchAnswers::open({task_, workload, hardware_, *torch_});
  if (opened) {
    if (auto prepared = (*opened)->prepare(referee, precision); !prepared)
      opened = tl::unexpected<Error>(std::move(prepared).error());
  }
  if (opened)
    return OpenedAnswers{*std::move(opened),
                         fmt::format("timed outputs: against PyTorch {} in double",
                                     torch_->worker->installation().torch_version)};
  const Error& error = opened.error();
  // A process that died may do better the next time.
  if (error.code != ErrorCode::kUnavailable) failures_[workload.name] = error.message;
  return fall_back(workload, precision, referee, error.message);
}

Result<OpenedAnswers> TorchOpinion::fall_back(const Workload& workload, Precision precision,
                                              Referee& referee, const std::string& why) {
  OpenedAnswers opened{nullptr, "timed outputs: not compared, the task has no baseline"};
  if (second_) {
    KP_TRY(opened, second_->answers(workload, precision, referee));
  }
  opened.note += fmt::format("; not against PyTorch on the GPU: {}", why);
  return opened;
}

Result<TensorValues> TorchOpinion::outputs(const Workload& workload, const TensorValues& inputs) {
  KP_TRY(const auto answers, TorchAnswers::open({task_, workload, hardware_, *torch_}));
  return answers->outputs(inputs);
}

}  // namespace kp::harness

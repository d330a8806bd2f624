// SPDX-License-Identifier: Apache-2.0
// Kernels that compute expected outputs on the trusted device: reference.cu, oracle kernels of the
// baseline, or the baseline itself.
#pragma once
#include "harness/opinion.h"

namespace kp::harness {

class KernelOpinion : public Opinion {
 public:
  explicit KernelOpinion(device::Device& device) : trusted(device) {}

  Result<OpenedAnswers> answers(const Workload& workload, Precision precision,
                                Referee& referee) override;
  Result<TensorValues> outputs(const Workload& workload, const TensorValues& inputs) override;
  Path source() const override { return kernels.file; }

  device::Device& trusted;
  Task task;  // as the kernels see it
  Candidate kernels;
  build::Binary binary;
  std::unique_ptr<device::Loaded> loaded;
  bool oracle = false;  // run the plan's oracle steps
  double slack = 1;  // an answer of the baseline has an error of the class, as the candidate's has
  std::string note;
};

/// Errors: they do not build or load.
Result<std::unique_ptr<KernelOpinion>> open_reference_kernels(const Task& task,
                                                              device::Device& trusted,
                                                              build::Builder& builder);
Result<std::unique_ptr<KernelOpinion>> open_baseline_kernels(const Task& task,
                                                             device::Device& trusted,
                                                             build::Builder& builder);

}  // namespace kp::harness

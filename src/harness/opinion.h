// SPDX-License-Identifier: Apache-2.0
// What computes the expected outputs of timed launches where they are compared, so that nothing of
// them passes through the host: kernels on the trusted device, or PyTorch.
#pragma once
#include <memory>
#include <string>

#include "build/build.h"
#include "device/hardware.h"
#include "harness/array_set.h"
#include "harness/reference.h"
#include "harness/torch_problem.h"

namespace kp::harness {

/// What is expected of one workload, array after array.
class Answers {
 public:
  virtual ~Answers() = default;
  /// What must come out of the inputs of `set`.
  virtual Result<void> compute(const ArraySet& set, Referee& referee) = 0;

  struct Expected {
    std::uint64_t address = 0, nudged = 0;  // nudged 0: there was no memory for a second answer
    DType dtype = DType::kF64;
    double slack = 1;  // on every limit: an answer may have an error of the class itself
  };
  virtual Expected expected(const Tensor& output) const = 0;
  /// Of the GPU's memory, as long as these answers are wanted.
  virtual std::uint64_t bytes() const = 0;

  /// `output` of `set` beside what is expected; the gate is the caller's.
  Comparison comparison(const Tensor& output, GateRequest gate, const ArraySet& set) const;
};

struct OpenedAnswers {
  std::unique_ptr<Answers> answers;  // null: nothing computes this workload
  std::string note;                  // "timed outputs: against reference.cu"
};

class Opinion {
 public:
  virtual ~Opinion() = default;
  /// Without memory for a second answer, the response to nudged inputs counts as zero. `referee`
  /// must outlive the answers.
  virtual Result<OpenedAnswers> answers(const Workload& workload, Precision precision,
                                        Referee& referee) = 0;
  /// All outputs for these inputs, for comparison with the task's own reference.
  virtual Result<TensorValues> outputs(const Workload& workload, const TensorValues& inputs) = 0;
  virtual Path source() const = 0;  // for messages
};

/// reference.cu, then the baseline's oracle kernels, then PyTorch where `torch` is there, then the
/// baseline; null when the task has none of them. Errors: what there is does not build or load.
Result<std::unique_ptr<Opinion>> open_opinion(const Task& task, device::Hardware& hardware,
                                              build::Builder& builder,
                                              std::shared_ptr<TorchProblem> torch = nullptr);

/// kInvalidInput when the opinion and the task's own reference differ on the smallest check
/// workload by more than double precision explains.
Result<void> confirm(Opinion& opinion, const Task& task, Reference& reference);

/// The error that a file which computes expected values is of no use.
tl::unexpected<Error> unusable(const Path& file, const std::string& what);

}  // namespace kp::harness

// SPDX-License-Identifier: Apache-2.0
// What computes the expected outputs of timed launches, on the trusted device: kernels in double
// where the task has them, else the baseline.
#pragma once
#include <memory>
#include <optional>

#include "build/build.h"
#include "harness/array_set.h"
#include "harness/reference.h"

namespace kp::harness {

/// Kernels that are loaded on the trusted device.
struct Opinion {
  Task task;  // as the kernels see it
  Candidate kernels;
  build::Binary binary;
  std::unique_ptr<device::Loaded> loaded;
  bool oracle = false;  // run the plan's oracle steps
  /// On every limit: an answer of the baseline has an error of the class, as the candidate's has.
  double slack = 1;
  std::string note;  // "timed outputs: against reference.cu"
};

/// reference.cu, then the baseline's oracle kernels, then the baseline; null when the task has none
/// of them. Errors: what there is does not build or load.
Result<std::unique_ptr<Opinion>> open_opinion(const Task& task, device::Device& trusted,
                                              build::Builder& builder);

/// kInvalidInput when reference.cu and the task's own reference differ on the smallest check
/// workload by more than double precision explains.
Result<void> confirm(const Opinion& opinion, const Task& task, device::Device& trusted,
                     Reference& reference);

/// The answers of an opinion for one workload, array after array.
class Answers {
 public:
  /// Without memory for a second answer, the response to nudged inputs counts as zero.
  static Result<std::unique_ptr<Answers>> open(const Opinion& opinion, const Workload& workload,
                                               device::Device& trusted, Precision precision);
  /// What must come out of the inputs of `set`.
  Result<void> compute(const ArraySet& set, Referee& referee);
  /// For the output `name` of `set`: addresses and type of what is expected; the gate is the
  /// caller's.
  Comparison comparison(const std::string& name, GateRequest gate, const ArraySet& set) const;

 private:
  Answers(const Opinion& opinion, device::Device& trusted, double nudge)
      : opinion_(opinion), trusted_(trusted), nudge_(nudge) {}
  Result<void> answer(const Rig& rig, const ArraySet& set, Referee& referee, double nudge);

  const Opinion& opinion_;
  device::Device& trusted_;
  double nudge_;
  std::unique_ptr<Rig> plain_, nudged_;
};

}  // namespace kp::harness

// SPDX-License-Identifier: Apache-2.0
// A loaded binary with its arrays for one workload: set up, run, look at what it left. Used for
// candidates and for reference kernels alike.
#pragma once
#include <memory>
#include <variant>
#include <vector>

#include "harness/arrays.h"
#include "harness/value_sets.h"
#include "model/evaluation.h"

namespace kp::harness {

struct RigRequest {
  device::Device& device;
  device::Loaded& loaded;
  const build::Binary& binary;
  const Task& task;
  const Candidate& candidate;
  const Workload& workload;
  bool oracle = false;                 // run the plan's oracle steps, floating tensors in double
  device::Buffers* buffers = nullptr;  // where arrays go; null: the device's own
  std::uint64_t red_zone = 0;
  std::uint64_t instruction_budget = 0;
  double deadline_seconds = 60;
};

struct Variation {
  device::Inspect inspect = device::Inspect::kValues;
  std::uint64_t schedule_seed = 0;
  std::uint64_t poison_seed = 0;
};

/// What one output (or inout) holds after a run.
struct OutputState {
  const Tensor* tensor = nullptr;
  Bytes bytes, poison;
  std::vector<double> values;              // bytes, decoded
  std::optional<std::uint64_t> unwritten;  // flat index, when the device knows
};
using RunOutcome = std::variant<std::vector<OutputState>, Outcome>;

/// What a mishap on the device says about the candidate; nothing when all went well.
std::optional<Outcome> outcome_of(const device::Mishap& mishap);

class Rig {
 public:
  /// Errors: the task's arrays do not fit (kLimit). Scratch that does not fit and steps that cannot
  /// be bound are the candidate's: an Outcome.
  static Result<std::variant<std::unique_ptr<Rig>, Outcome>> open(const RigRequest& request);

  /// Inputs in, poison over outputs and scratch, prepare steps, steps; then canaries, inputs and
  /// outputs are looked at.
  Result<RunOutcome> run(const TensorValues& inputs, const Variation& variation);

  /// For whoever fills and runs on its own.
  const Arrays& arrays() const { return arrays_; }
  const std::vector<device::BoundStep>& steps() const { return steps_; }
  const std::vector<device::BoundStep>& prepare() const { return prepare_; }

  struct TimingRequest {
    std::uint64_t sample_blocks = 0;
    /// Blocks so expensive that the sample needs more warp instructions make it smaller, down to
    /// one block for each SM; 0: no limit.
    std::uint64_t sample_instructions = 0;
    /// Poison first and look at the outputs afterwards: every element must be written. Only for
    /// runs that execute all blocks.
    bool expect_all_written = false;
  };
  struct Timing {
    std::vector<device::BoundStep> steps;
    device::TimeReport report;
    std::optional<double> prepare_nanoseconds;
  };
  /// Times the steps (and the prepare steps apart) on `inputs`; values shorter than their array
  /// repeat. What these runs compute was verified on other workloads.
  Result<std::variant<Timing, Outcome>> time(const TensorValues& inputs,
                                             const TimingRequest& wanted);

 private:
  explicit Rig(const RigRequest& request)
      : request_(request),
        arrays_(request.buffers ? *request.buffers : request.device.buffers(), request.red_zone) {}
  Result<std::optional<Outcome>> add_arrays();
  Result<std::optional<Outcome>> bind();
  Result<void> write_inputs(const TensorValues& inputs, bool weights);
  Result<void> zero_scratch();
  Result<void> poison(std::uint64_t seed);
  Result<std::optional<Outcome>> execute(const std::vector<device::BoundStep>& steps,
                                         const Variation& variation);
  Result<std::optional<Outcome>> set_up(const TensorValues& inputs, const Variation& variation);
  Result<std::optional<Outcome>> changed_input(const TensorValues& inputs);
  Result<std::vector<OutputState>> outputs(std::uint64_t poison_seed);
  Result<std::optional<Outcome>> broken_canary(std::uint64_t seed);
  Result<std::optional<Outcome>> unwritten_block(std::uint64_t poison_seed);
  Result<std::uint64_t> blocks_to_sample(const device::TimeRequest& request,
                                         std::uint64_t instructions);
  Result<std::optional<Outcome>> time_prepare(device::TimeRequest request, Timing& timing);
  DType dtype_of(const Tensor& tensor) const;
  Result<device::Binding> binding(bool weights_only) const;

  RigRequest request_;
  Arrays arrays_;
  std::vector<device::BoundStep> prepare_, steps_;
};

}  // namespace kp::harness

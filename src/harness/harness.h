// SPDX-License-Identifier: Apache-2.0
// One candidate in, one Evaluation out: build, load, verify, time, profile. docs/harness.md says what is
// checked at which depth; the loop knows this one verb.
#pragma once
#include <cstdint>
#include <memory>

#include "base/file.h"
#include "base/result.h"
#include "build/build.h"
#include "device/device.h"
#include "model/evaluation.h"
#include "model/task.h"

namespace kp::harness {

struct HarnessOptions {
  std::uint64_t seed = 1;            // of inputs, poison and schedules
  Path cache;                        // empty: cache_folder()
  std::uint64_t sample_blocks = 0;   // blocks to execute when timing at quick depth; 0: all
  std::uint64_t instruction_budget = 0;  // warp instructions for each launch on virtual devices; 0: chosen
};

class Harness {
 public:
  /// `device` and `builder` must outlive the harness. Compiles the task's reference when it has one.
  /// Errors: the world's, and a task that cannot be judged (reference fails, workload does not fit).
  static Result<Harness> open(Task task, device::Device& device, build::Builder& builder,
                              HarnessOptions options = {});
  Harness(Harness&&) noexcept;
  ~Harness();

  /// A bad candidate is an Evaluation; an Error means that the world failed and nothing is known.
  Result<Evaluation> evaluate(const Candidate& candidate, Depth depth);
  const Task& task() const;

 private:
  struct State;
  explicit Harness(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kp::harness

// SPDX-License-Identifier: Apache-2.0
// One candidate in, one Evaluation out: build, verify, time, profile. The rules are
// docs/harness.md.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>

#include "base/file.h"
#include "base/result.h"
#include "build/build.h"
#include "device/device.h"
#include "model/evaluation.h"
#include "model/task.h"

namespace kp::harness {

struct TorchStart;  // torch_problem.h

struct HarnessOptions {
  std::uint64_t seed = 1;              // of all inputs, poisons and schedules
  Path cache;                          // of compiled references; empty: cache_folder()
  std::uint64_t sample_blocks = 1056;  // about how many blocks a quick timing executes; 0: all
  std::uint64_t sample_instructions = 1u
                                      << 24;    // warp instructions for which it makes do with less
  std::uint64_t instruction_budget = 1u << 26;  // warp instructions of a launch on check workloads
  double deadline_seconds = 60;                 // of a run, on devices with a clock
  std::optional<std::uint64_t>
      red_zone;                       // bytes around each array; absent: by what the device checks
  bool vendor_rules = false;          // full profiles tell what Nsight Compute's rules say
  std::vector<Label> labels;          // of the task: they stand beside every measured result
  std::shared_ptr<TorchStart> torch;  // that was begun for this task; may be null
};

class Harness {
 public:
  /// `device` and `builder` must outlive the harness. Compiles the task's reference. Errors: the
  /// task has no usable reference (with the compiler's text), a workload is missing.
  static Result<Harness> open(Task task, device::Device& device, build::Builder& builder,
                              HarnessOptions options = {});
  Harness(Harness&&) noexcept;
  Harness& operator=(Harness&&) noexcept;
  ~Harness();

  /// A bad candidate is a value. Errors: kLimit when a workload does not fit in memory, and
  /// whatever else fails in the world.
  Result<Evaluation> evaluate(const Candidate& candidate, Depth depth);
  /// Every check workload at full depth with the sanitizer, without timing: the fault found, or
  /// nothing.
  Result<std::optional<Outcome>> check(const Candidate& candidate);
  /// All metrics of a candidate that was measured at quick depth. Nothing where its profile holds
  /// them already, as on virtual devices, and when it fails this time.
  Result<std::optional<Profile>> profile_fully(const Candidate& candidate);
  const Task& task() const;

 private:
  struct State;
  explicit Harness(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kp::harness

// SPDX-License-Identifier: Apache-2.0
// Can a task be passed without doing its work? Asked before a task is used; docs/screen.md says
// what is tried and when a pass counts.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "harness/reference.h"
#include "model/task.h"

namespace kp::harness {

/// How one forged output of one tensor fared.
struct AttackReport {
  std::string workload;
  std::string inputs;  // "contract" | "published" | "zero-mean"
  std::string tensor;
  std::string attack;  // see screen_attack.h
  enum class Verdict {
    kFails,    // as it must
    kPasses,   // nobody would notice
    kExcused,  // it is the right answer by the task's own nature
    kNone,     // there is no such output
  } verdict = Verdict::kFails;
  std::string reason;           // of what is excused, and why there is none
  std::string gate;             // that it failed
  double error = 0, limit = 0;  // of that gate, else of the whole tensor
  int seeds = 0;                // looked at
  bool close_tight = false;     // torch.allclose at 1e-4, on all seeds looked at, at most five
  bool close_loose = false;     // at 1e-2
  bool judged = true;           // the harness judges candidates on such inputs: a pass counts
};
std::string_view name_of(AttackReport::Verdict verdict);

struct Screening {
  std::string task;
  bool timed = false;  // the time workloads too
  std::vector<AttackReport> reports;
  std::vector<std::string> notes;
  std::optional<std::string> unsteady;  // the reference's own answers differ
  /// Why the task is not fit for use; absent: sound.
  std::optional<std::string> degenerate() const;
  /// Whether no attack passes on zero-mean inputs; absent where the contract's are zero-mean, and
  /// where the task does not take them.
  std::optional<bool> zero_mean_sound;
};

struct ScreenOptions {
  std::uint64_t seed = 1;
  bool timed = false;     // the time workloads too: what passes may depend on size
  bool hardware = false;  // those that are meant for it, instead of their stand-ins
};

/// Errors: the reference cannot compute a workload.
Result<Screening> screen(const Task& task, Reference& reference, const ScreenOptions& options = {});

nlohmann::json to_json(const Screening& screening);

}  // namespace kp::harness

// SPDX-License-Identifier: Apache-2.0
// A published candidate: a Python file with `class ModelNew` beside a problem (docs/claims.md). It
// is host code that somebody else wrote, so it runs in a process of its own, the guest, which the
// caller confines and whose word is never taken: its outputs are compared by a Worker (worker.h),
// its clock is held against ours. The process ends with the guest.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "torch/worker.h"

namespace kp::torch {

struct RawOutputs {
  Descriptor file;
  std::vector<RawOutput> outputs;
};

struct GuestTimes {
  std::vector<double> nanoseconds;  // of each run with a cold L2, by the guest's own clock
  RawOutputs last;                  // of the last timed run
};

/// All launches of one kernel in one run.
struct GuestKernel {
  std::string name;
  double nanoseconds = 0;
  int launches = 0;
};

class Guest {
 public:
  /// Loads the problem and its candidate; what the candidate compiles it compiles here. Errors:
  /// kUnsupported, kInvalidInput and kLimit are the candidate's (no ModelNew, a traceback's last
  /// line, out of memory), kTimeout when it takes too long, kUnavailable where it cannot be
  /// started or ended by itself. The same of all that follows.
  static Result<std::unique_ptr<Guest>> start(const WorkerOptions& options, const Path& problem,
                                              const Path& candidate);
  virtual ~Guest() = default;

  virtual Result<RawOutputs> run(const Draw& draw) = 0;
  /// On a GPU. The inputs change from run to run; those of the last one are of the seed `last`,
  /// which the candidate has not met before.
  virtual Result<GuestTimes> time(const Draw& draw, std::uint64_t last, int runs) = 0;
  /// Seconds that `runs` runs back to back take by our clock, with an element of the result read.
  virtual Result<double> burst(const Draw& draw, int runs) = 0;
  virtual Result<std::vector<GuestKernel>> kernels(const Draw& draw) = 0;
};

}  // namespace kp::torch

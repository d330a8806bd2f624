// SPDX-License-Identifier: Apache-2.0
// Fresh processes for candidates: one starts as soon as another has ended, so that hardly anybody
// waits for a driver, and none is handed out after a crash before the GPU has shown that it still
// works.
#pragma once
#include <memory>
#include <vector>

#include "device/cuda/memory.h"
#include "device/cuda/worker.h"

namespace kp::device::cuda {

class WorkerPool {
 public:
  /// Finds the strongest confinement in which a worker opens the GPU, from that of `spec` down.
  static Result<std::unique_ptr<WorkerPool>> open(WorkerSpec spec, Memory& memory);

  /// A worker that saw no candidate, with every array mapped. kUnavailable when the GPU does not
  /// answer as it did at first.
  Result<std::unique_ptr<Worker>> take();
  /// Ends it, and waits until it is gone with all that it had started. If it is dead already,
  /// whatever ended it puts the GPU in doubt.
  void discard(std::unique_ptr<Worker> worker);
  /// Waits until no process starts or ends: before something is timed.
  Result<void> settle();
  /// "full", "landlock" or "minimal".
  const std::string& confined() const { return confined_; }

 private:
  WorkerPool(WorkerSpec spec, Memory& memory) : spec_(std::move(spec)), memory_(memory) {}
  Result<void> find_confinement();
  Result<void> start_spare();
  Result<void> open_spare();
  Result<double> probe();  // byte/s of a copy
  Result<void> check_health();
  Result<void> wait_for_the_dead();

  WorkerSpec spec_;
  Memory& memory_;
  std::unique_ptr<Worker> spare_;
  std::vector<std::unique_ptr<Worker>> dying_;
  double first_ = 0;  // byte/s of a copy before any candidate ran
  bool doubtful_ = false;
  std::string confined_;
};

}  // namespace kp::device::cuda

// SPDX-License-Identifier: Apache-2.0
// Reads the counters of each kernel that runs in a CUDA context: CUPTI's target half. Kernels are
// launched again for each pass by the caller, who knows what repeating needs.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "device/cuda/worker/counters_range.h"

namespace kp::device::cuda {

/// `prepare` runs before each pass, uncounted; `launch` launches exactly `kernels` kernels.
struct CountedWork {
  int kernels = 0;
  std::function<Result<void>()> prepare, launch;
};

struct CountedKernels {
  std::vector<Counters> kernels;  // in order of launch
  int passes = 0;
};

class CounterSession {
 public:
  /// `context`: the CUcontext, current on this thread, of device number `device`. Plans are kept
  /// for later calls of count with the same names.
  static Result<std::unique_ptr<CounterSession>> open(void* context, int device);
  Result<CountedKernels> count(std::span<const std::string> names, const CountedWork& work);

 private:
  explicit CounterSession(void* context) : context_(context) {}
  Result<CountedKernels> attempt(std::span<const std::string> names, const CountedWork& work);
  Result<const CounterPlan*> plan_for(std::span<const std::string> names);

  void* context_;
  CounterChip chip_;
  std::map<std::vector<std::string>, std::unique_ptr<CounterPlan>> plans_;
};

}  // namespace kp::device::cuda

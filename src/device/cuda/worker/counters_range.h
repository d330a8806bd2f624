// SPDX-License-Identifier: Apache-2.0
// CUPTI's range profiler on one CUDA context while it is on: each kernel between start and stop is
// a range.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "device/cuda/worker/counters_plan.h"

namespace kp::device::cuda {

struct CuptiApi;

/// One kernel's counters; what the hardware does not know is absent.
using Counters = std::map<std::string, double>;

/// The chip of device number `device`, taken to have all of its counters.
Result<CounterChip> counter_chip(int device);
/// Which counters of its chip this machine offers; `context` is a CUcontext. Takes some 0.2 s.
Result<std::vector<std::uint8_t>> counter_availability(void* context);

class CounterRange {
 public:
  /// Who launches a kernel again for each pass: the caller, or CUPTI within one launch, which saves
  /// what the kernel writes and restores it.
  enum class Replay { kByCaller, kByCupti };

  static Result<std::unique_ptr<CounterRange>> enable(void* context);
  CounterRange(const CounterRange&) = delete;
  CounterRange& operator=(const CounterRange&) = delete;
  ~CounterRange();

  /// `plan` must outlive this. At most `kernels` kernels run in a pass.
  Result<void> configure(const CounterPlan& plan, int kernels, Replay replay);
  Result<void> start();
  /// True once all passes ran.
  Result<bool> stop();
  /// One entry for each kernel that ran, in order.
  Result<std::vector<Counters>> evaluate();

 private:
  CounterRange(const CuptiApi& api, void* profiler) : api_(api), profiler_(profiler) {}
  Result<void> make_data(int kernels);

  const CuptiApi& api_;
  void* profiler_;  // CUpti_RangeProfiler_Object*
  const CounterPlan* plan_ = nullptr;
  std::vector<std::uint8_t> data_;
};

}  // namespace kp::device::cuda

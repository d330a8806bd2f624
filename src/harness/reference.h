// SPDX-License-Identifier: Apache-2.0
// Where expected values come from: one file for each oracle of a task.
#pragma once
#include <memory>
#include <string>

#include "build/build.h"
#include "device/device.h"
#include "harness/value_sets.h"

namespace kp::harness {

class Reference {
 public:
  virtual ~Reference() = default;
  /// Every output and inout array of the task in double, by name. `schedule` permutes the order of
  /// execution where there is one; 0 is the natural order.
  virtual Result<TensorValues> compute(const Workload& workload, const TensorValues& inputs,
                                       std::uint64_t schedule = 0) = 0;
  /// Whether results may depend on the schedule.
  virtual bool varies() const = 0;
  virtual std::string note() const = 0;  // "oracle: host"
};

/// What the task's oracle asks for, one of the following. `device` is where trusted kernels run.
/// The task, the device and the builder must outlive it.
Result<std::unique_ptr<Reference>> open_reference(const Task& task, device::Device& device,
                                                  build::Builder& builder, const Path& cache);

/// `reference.cc`, compiled by the host's compiler and run in a process of its own with a deadline.
/// Errors: no compiler, the source does not compile (with the compiler's text).
Result<std::unique_ptr<Reference>> open_host_reference(const Task& task,
                                                       const build::Toolchain& toolchain,
                                                       const Path& cache);

/// The task's Python file, run in double by PyTorch in a process of its own. Errors: there is no
/// PyTorch (kUnavailable says how to get it), the file does not run.
Result<std::unique_ptr<Reference>> open_torch_reference(const Task& task);

/// The baseline's oracle kernels in double (kKernels) or the baseline itself (kSelf), on the
/// device. Errors: the task has no baseline, or it cannot be built or run.
Result<std::unique_ptr<Reference>> open_device_reference(const Task& task, device::Device& device,
                                                         build::Builder& builder);

}  // namespace kp::harness

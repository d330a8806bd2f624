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
  /// Every output and inout array of the task in double, by name.
  virtual Result<TensorValues> compute(const Workload& workload, const TensorValues& inputs) = 0;
  /// How far apart its own runs lie (schedules permuted), as norm of the difference; 0 when it
  /// cannot differ.
  virtual Result<double> own_spread(const Workload& workload, const TensorValues& inputs,
                                    const std::string& tensor) = 0;
  virtual std::string note() const = 0;  // "oracle: host"
};

/// `reference.cc`, compiled by the host's compiler and run in a process of its own with a deadline.
/// Errors: no compiler, the source does not compile (with the compiler's text).
Result<std::unique_ptr<Reference>> open_host_reference(const Task& task,
                                                       const build::Toolchain& toolchain,
                                                       const Path& cache);

/// The baseline's oracle kernels in double (kKernels) or the baseline itself (kSelf), on the
/// device. Errors: the task has no baseline, or it cannot be built or run.
Result<std::unique_ptr<Reference>> open_device_reference(const Task& task, device::Device& device,
                                                         build::Builder& builder);

}  // namespace kp::harness

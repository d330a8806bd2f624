// SPDX-License-Identifier: Apache-2.0
// All that a tool may look at: one kernel of one run, the task's work, the device. Read-only.
#pragma once
#include <optional>
#include <span>

#include "model/device_spec.h"
#include "model/finding.h"
#include "model/profile.h"
#include "model/task.h"

namespace kp::diagnose {

inline constexpr double kNanoseconds = 1e9;  // in a second

/// What the task needs at least on the profiled workload.
struct Floor {
  double bytes = 0;             // compulsory bytes
  std::optional<double> flops;  // absent: the task does not say
  bool contraction = false;
  Precision precision = Precision::kF32;
  bool double_data = false;  // some tensor of the task is f64
  /// Bytes of what the task writes, each element once; absent when not known.
  std::optional<double> written;

  /// FLOP per compulsory byte; absent when flops are.
  std::optional<double> intensity() const;
};

/// The floor of `workload`; errors come from the task's shape and work expressions.
Result<Floor> floor_of(const Task& task, const Workload& workload);

struct Evidence {
  const KernelProfile& kernel;
  const DeviceSpec& device;
  const Floor& floor;
  Boundness boundness = Boundness::kMixed;
  double headroom = 1;  // the run's time over its lower bound; infinite when no bound is known
  const Profile* run = nullptr;  // all kernels of the run; null when not known

  /// A metric of the kernel; absent means unknown.
  std::optional<double> get(const MetricKey& key) const { return kernel.metrics.get(key); }
  /// The same where what nobody counted adds nothing: terms of a sum, reasons to speak.
  double or_zero(const MetricKey& key) const { return get(key).value_or(0); }
};

/// The weakest grade (measured, modelled, static, in this order) among those of `used` that are
/// known.
Grade weakest_grade(const KernelProfile& kernel, std::span<const MetricKey> used);

}  // namespace kp::diagnose

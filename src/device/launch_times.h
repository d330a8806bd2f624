// SPDX-License-Identifier: Apache-2.0
// Asked of Hardware::count like counters: when a launch ran, since the first of its run began,
// while the host was ahead of the GPU. They make a timeline and are no metrics of a kernel.
#pragma once
#include "model/metric_keys.h"

namespace kp::device {

inline constexpr MetricKey kLaunchStart{"kp__launch_start", "ns"};
inline constexpr MetricKey kLaunchEnd{"kp__launch_end", "ns"};

}  // namespace kp::device

// SPDX-License-Identifier: Apache-2.0
// An analytic model of time over counts: docs/time-model.md has the equations. It ranks candidates; it
// is not a measurement and has no confidence interval.
#pragma once
#include "model/device_spec.h"
#include "vgpu/counters.h"
#include "vgpu/occupancy.h"

namespace kp::vgpu {

struct ModelledTime {
  double total = 0;  // ns, launch overhead included
  /// What each resource alone would take, ns; `total` is at least the largest.
  double dram = 0, l2 = 0, l1 = 0, issue = 0, pipe = 0, latency = 0, launch = 0;
};

struct LaunchShape {
  std::uint64_t blocks = 1;
  unsigned threads = 1;          // per block
  std::uint64_t shared_bytes = 0;
  unsigned registers = 0;        // per thread, from the compiler
};

ModelledTime model_time(const DeviceSpec& spec, const Program& program, const GridCounters& counters,
                        const LaunchShape& shape);

}  // namespace kp::vgpu

// SPDX-License-Identifier: Apache-2.0
// From what was recorded of a program's calls and of the GPU's work to a Timeline of its steady
// state. Pure arithmetic, for every recorder: exports of Nsight Systems, our own activity trace.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "model/profile.h"

namespace kp::profile {

/// In ns of one clock for host and GPU.
struct Interval {
  double start = 0, end = 0;
};

/// What the GPU did. A graph that was recorded as a whole stands for its kernels.
struct GpuWork {
  enum class Kind { kKernel, kHostCopy, kDeviceCopy, kFill, kGraph } kind = Kind::kKernel;
  Interval when;
  double bytes = 0;       // of copies
  bool pageable = false;  // host copies: the host's side is not pinned
};

/// What the host asked for. Calls of the runtime may contain calls of the driver for the same
/// thing; the inner ones are not counted again.
struct HostCall {
  /// kSetUp: a module was loaded. kAllocation: memory was taken or given back, other than from a
  /// stream's pool.
  enum class Kind { kLaunch, kGraphLaunch, kSync, kAllocation, kSetUp } kind = Kind::kLaunch;
  Interval when;
  std::uint64_t thread = 0;
};

struct Activity {
  std::vector<GpuWork> work;    // in any order
  std::vector<HostCall> calls;  // likewise; may be empty when calls were not recorded
  /// The stretch that the user marked (an NVTX range).
  std::optional<Interval> marked;
};

/// The steady state: what the user marked; else from the first launch after the warm-up to the end
/// of the GPU's last work. The warm-up ends with the last allocation or module load before half of
/// the launches were made, so that at most half is lost where a program allocates all the time.
/// Nothing when there was no kernel and no graph.
std::optional<Interval> steady_window(const Activity& activity);

/// Of the steady state. Nothing when there was no kernel and no graph in it.
std::optional<Timeline> timeline_of(const Activity& activity);

/// Length of the union.
double union_length(std::vector<Interval> intervals);

}  // namespace kp::profile

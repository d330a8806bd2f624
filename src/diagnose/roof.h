// SPDX-License-Identifier: Apache-2.0
// The least time that the task's work allows on a device, and whether a run is there already.
#pragma once
#include <optional>
#include <string_view>

#include "diagnose/evidence.h"

namespace kp::diagnose {

/// Sum over the kernels; absent when one of them does not know.
std::optional<double> total_of(const Profile& profile, const MetricKey& key);
/// Bytes read and written in device memory.
std::optional<double> dram_bytes(const Profile& profile);

/// FLOP/s of the datapath that the task can use: the best legal one of its precision class for a
/// contraction, else the scalar lanes. Absent when the spec does not know the class.
std::optional<double> peak_flops(const Floor& floor, const DeviceSpec& device);

/// max(compulsory bytes / sustained bandwidth, FLOP / peak), ns. When the profile shows that less
/// than half of the input bytes come from DRAM, the data stays in the L2 and its bandwidth
/// counts.
struct LowerBound {
  double nanoseconds = 0;
  std::string_view resource;  // "DRAM", "L2" or "arithmetic"
};
LowerBound lower_bound(const Floor& floor, const Profile& profile, const DeviceSpec& device);

/// Where the run stands against the bound. At the roof: within 15 % of the bound plus one launch
/// (25 % when the time is modelled), or DRAM at 85 % of its sustained bandwidth while it moves at
/// most 1.15 times the compulsory bytes.
struct RoofStand {
  LowerBound bound;
  bool at_roof = false;
  double headroom = 1;  // infinite when time or bound is unknown
};
RoofStand roof_stand(const Floor& floor, const Profile& profile, const DeviceSpec& device);

/// The same question for one kernel of several, which has no bound of its own: DRAM at 85 % of its
/// sustained bandwidth, at most one pass over the task's compulsory bytes, sectors well used.
bool kernel_at_roof(const Floor& floor, const KernelProfile& kernel, const DeviceSpec& device);

/// The only finding that such a kernel gets; one sentence.
Finding roof_finding(const LowerBound& bound, const KernelProfile& kernel,
                     const DeviceSpec& device);

}  // namespace kp::diagnose

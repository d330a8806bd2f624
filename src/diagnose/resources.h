// SPDX-License-Identifier: Apache-2.0
// Which resource a kernel waits for, and what easing some of them would bring. Used
// by the gate and by tools: a fault costs time only when its resource is the one that bounds the
// kernel.
#pragma once
#include <array>
#include <optional>

#include "diagnose/evidence.h"

namespace kp::diagnose {

enum class Resource { kDram, kL2, kL1, kIssue, kPipe, kLatency };
inline constexpr std::size_t kResources = 6;
std::string_view name_of(Resource resource);  // "L1 and shared memory", "issue slots", ...

/// What each resource alone would take, and the whole kernel; ns.
struct ResourceTimes {
  std::array<double, kResources> alone{};
  double total = 0;
  double overlap = 4;  // p of the norm that joins the components, as the time model does
  double of(Resource resource) const { return alone[static_cast<std::size_t>(resource)]; }
  Resource longest() const;
};
/// From the time model's components when the profile has them. Else from throughputs: percent of
/// peak stands for percent of the time, and what they leave unexplained is latency: all of that
/// below 60 %, nothing from 80 % on. `total` is the norm of them. Absent when neither is known.
std::optional<ResourceTimes> resource_times(const KernelProfile& kernel, const DeviceSpec& device);
/// The first throughput that resource_times lacks, for the tool that has to say so.
MetricKey missing_throughput(const KernelProfile& kernel);

/// The factors, in (0, 1], by which a fix scales the work of each resource.
struct Relief {
  double dram = 1, l2 = 1, l1 = 1, issue = 1, pipe = 1, latency = 1;
};
/// Share of the kernel's time, in [0, 1), that goes away with `relief`: the p-norm of the
/// components before minus that after, over the total. What comes on top of the norm (the launch)
/// stays.
double share_won(const ResourceTimes& times, const Relief& relief);

/// The weakest grade among `used` and what resource_times reads. Leave out of `used` what is known
/// exactly of any launch (block, grid, registers, shared memory).
Grade grade_with_times(const KernelProfile& kernel, std::span<const MetricKey> used = {});

}  // namespace kp::diagnose

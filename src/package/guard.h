// SPDX-License-Identifier: Apache-2.0
// Which calls the optimised kernels serve: those inside what they were verified on.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "model/task.h"
#include "package/axes.h"

namespace kp::package {

/// Multiples of `step` from `low` to `high`: the verified values, their greatest common divisor.
struct AxisRange {
  std::string axis;
  std::int64_t low = 0, high = 0, step = 1;
};

struct Guard {
  std::vector<AxisRange> ranges;                       // of the axes that callers choose
  std::map<std::string, std::uint64_t> elements;       // the most that any workload had, by array
  std::map<std::string, std::vector<double>> scalars;  // verified values, by name

  bool serves(const Bindings& axes) const;
};

/// What `task`'s workloads cover. A kernel that was only ever seen with multiples of 64 may rely on
/// them; one that was seen with odd sizes does not.
Result<Guard> guard_of(const Task& task, const std::vector<task::AxisSpec>& axes);

/// "n from 2500 to 16777216; k a multiple of 64 from 64 to 8192".
std::string describe(const Guard& guard);

/// Small shapes that the guard refuses, likely ones first, as check workloads. Whether they mean
/// anything for the task is for the caller to find out.
std::vector<Workload> shapes_outside(const Task& task, const std::vector<task::AxisSpec>& axes,
                                     const Guard& guard);

}  // namespace kp::package

// SPDX-License-Identifier: Apache-2.0
// When kernels ran, from CUPTI's activity records, which need no permission.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"

namespace kp::device::cuda {

struct KernelRecord {
  std::string name;
  std::uint32_t grid[3]{}, block[3]{};
  double start = 0, end = 0;  // ns since the first of them began
};

/// Every kernel that ran while `launch` launched some and waited for them, in order of launch.
Result<std::vector<KernelRecord>> trace_kernels(const std::function<Result<void>()>& launch);

/// Without the first ones, `count` in all. kUnavailable when fewer were recorded.
Result<std::vector<KernelRecord>> last_of(std::vector<KernelRecord> records, std::size_t count);

}  // namespace kp::device::cuda

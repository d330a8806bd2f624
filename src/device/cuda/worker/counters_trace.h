// SPDX-License-Identifier: Apache-2.0
// When kernels ran, from CUPTI's activity records, which need no permission.
#pragma once
#include <functional>
#include <vector>

#include "base/result.h"

namespace kp::device::cuda {

struct KernelTime {
  double start = 0, end = 0;  // ns since the first of them began
};

/// Of the last `kernels` kernels that `launch` launches and waits for, in order of launch.
Result<std::vector<KernelTime>> trace_kernels(std::size_t kernels,
                                              const std::function<Result<void>()>& launch);

}  // namespace kp::device::cuda

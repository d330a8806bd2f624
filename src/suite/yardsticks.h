// SPDX-License-Identifier: Apache-2.0
// What PyTorch takes for a task that is defined in it, on the GPU that judged the candidates.
#pragma once
#include <string>
#include <vector>

#include "base/stop.h"
#include "device/device.h"
#include "model/task.h"
#include "suite/records.h"
#include "torch/worker.h"

namespace kp::suite {

/// What came of timing; a mode that does not work has no yardstick, and a remark says why.
struct TimedByTorch {
  std::vector<Yardstick> yardsticks;
  std::vector<std::string> remarks;
};

/// Whether PyTorch's times say anything about those of `device`: a task that is defined in PyTorch,
/// on a GPU.
bool torch_can_time(const Task& task, const device::Description& device);

/// Eager, compile and CUDA graph, and functions of the user's ("FILE.py:FUNCTION", named without
/// its folders in what comes back), at each time workload of a GPU, as the geometric mean of their
/// medians, like the times of candidates. Where PyTorch's defaults are coarser than the task's
/// class, the same again in that class: "eager in f32".
TimedByTorch time_by_torch(torch::Worker& worker, const Task& task,
                           const std::vector<std::string>& functions = {});
/// The same in a process that is started for it. Never fails: what could not be had is a remark.
TimedByTorch time_by_torch(const Task& task, const std::vector<std::string>& functions,
                           const device::Description& device, const StopFlag& stop);

/// The class in which PyTorch computes by default: convolutions and recurrent layers of f32 are
/// done in tf32 by cuDNN, products are not.
std::string torch_precision(const Task& task);

}  // namespace kp::suite

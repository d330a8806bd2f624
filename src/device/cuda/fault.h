// SPDX-License-Identifier: Apache-2.0
// What a CUDA error means for a candidate.
#pragma once
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "device/device.h"

namespace kp::device::cuda {

/// An error of the driver, or the end of the process that held the device code.
struct Fault {
  int code = 0;  // CUresult; 0: the process ended, and `name` says how
  std::string name;
  std::string phase;  // "launch", "load", ...
  int step = -1;      // index in the steps of the request, -1 unknown
  int guilty = -1;    // index of the contender of a series, -1 unknown
};

inline constexpr int kOutOfMemory = 2;      // CUDA_ERROR_OUT_OF_MEMORY
inline constexpr int kLaunchTimeout = 702;  // CUDA_ERROR_LAUNCH_TIMEOUT

/// From an answer that is not "ok"; whatever is missing or of another type stays unknown.
Fault fault_from(const nlohmann::json& answer);

/// After such an error nothing works in its process any more.
bool ends_process(const Fault& fault);

Crashed crash_of(const Fault& fault, std::span<const BoundStep> steps);

/// The same for trusted code, whose faults are the world's.
Error error_of(const Fault& fault, std::string_view what);

}  // namespace kp::device::cuda

// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/worker/driver_call.h"

#include <fmt/format.h>

#include <algorithm>

namespace kp::device::cuda {
namespace {

CUresult nearest_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::kLimit:
      return CUDA_ERROR_OUT_OF_MEMORY;
    case ErrorCode::kNotFound:
      return CUDA_ERROR_NOT_FOUND;
    case ErrorCode::kTimeout:
      return CUDA_ERROR_TIMEOUT;
    case ErrorCode::kIo:
      return CUDA_ERROR_OPERATING_SYSTEM;
    case ErrorCode::kUnavailable:
    case ErrorCode::kUnsupported:
    case ErrorCode::kBusy:
      return CUDA_ERROR_NOT_SUPPORTED;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

}  // namespace

tl::unexpected<Fault> fault_of(const Driver& driver, CUresult code, const char* function) {
  return refusal(code, fmt::format("{} by {}", name_of(driver, code), function));
}

tl::unexpected<Fault> refusal(CUresult code, std::string reason) {
  return tl::unexpected<Fault>(
      Fault{.code = static_cast<int>(code), .name = std::move(reason), .phase = {}, .step = -1});
}

Fault refused(const Error& error) {
  const std::string hint = error.hint.empty() ? std::string() : fmt::format("; {}", error.hint);
  return refusal(nearest_code(error.code), error.message + hint).value();
}

Faulty<unsigned> attribute(const Driver& driver, CUdevice device, CUdevice_attribute which) {
  int value = 0;
  KP_CALL(driver, cuDeviceGetAttribute, &value, which, device);
  return static_cast<unsigned>(std::max(0, value));
}

}  // namespace kp::device::cuda

// SPDX-License-Identifier: Apache-2.0
// Calls of the CUDA driver whose failure is an answer to the judge.
#pragma once
#include <tl/expected.hpp>
#include <utility>

#include "base/result.h"
#include "device/cuda/driver.h"
#include "device/cuda/fault.h"

namespace kp::device::cuda {

template <class T>
using Faulty = tl::expected<T, Fault>;

tl::unexpected<Fault> fault_of(const Driver& driver, CUresult code, const char* function);
/// A request that cannot be carried out, by a reason that is not the driver's.
tl::unexpected<Fault> refusal(CUresult code, std::string reason);

/// An error as the judge reads it: its code as the nearest of the driver's.
Fault refused(const Error& error);
template <class T>
Faulty<T> or_fault(Result<T> result) {
  if (!result) return tl::unexpected<Fault>(refused(result.error()));
  if constexpr (std::is_void_v<T>) {
    return {};
  } else {
    return *std::move(result);
  }
}

}  // namespace kp::device::cuda

/// `KP_CALL(driver, cuStreamSynchronize, stream);` returns the fault from this function.
#define KP_CALL(driver, function, ...)                                                    \
  do {                                                                                    \
    if (const CUresult kp_code = (driver).function(__VA_ARGS__); kp_code != CUDA_SUCCESS) \
      return ::kp::device::cuda::fault_of((driver), kp_code, #function);                  \
  } while (false)

/// KP_TRY and KP_TRY_VOID for Faulty<T>.
#define KP_OR_FAULT_(tmp, decl, ...)                                                    \
  auto tmp = (__VA_ARGS__);                                                             \
  if (!tmp) return ::tl::unexpected<::kp::device::cuda::Fault>(std::move(tmp).error()); \
  decl = *std::move(tmp)
#define KP_OR_FAULT(decl, ...) KP_OR_FAULT_(KP_JOIN(kp_or_fault_, __COUNTER__), decl, __VA_ARGS__)
#define KP_OR_FAULT_VOID(...)                                                             \
  do {                                                                                    \
    auto kp_or_fault = (__VA_ARGS__);                                                     \
    if (!kp_or_fault)                                                                     \
      return ::tl::unexpected<::kp::device::cuda::Fault>(std::move(kp_or_fault).error()); \
  } while (false)

namespace kp::device::cuda {

/// Of the device; what is negative counts as 0.
Faulty<unsigned> attribute(const Driver& driver, CUdevice device, CUdevice_attribute which);

}  // namespace kp::device::cuda

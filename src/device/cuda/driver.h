// SPDX-License-Identifier: Apache-2.0
// The CUDA driver API through dlopen, so that the same program starts where there is no driver.
// A member has the name and the type of the function in <cuda.h>, which maps names to versions.
#pragma once
#include <cuda.h>

#include <string>

#include "base/result.h"

// clang-format off
#define KP_CUDA_FUNCTIONS(X)                                                                    \
  X(cuInit) X(cuDriverGetVersion) X(cuGetErrorName) X(cuGetErrorString)                         \
  X(cuDeviceGet) X(cuDeviceGetCount) X(cuDeviceGetName) X(cuDeviceGetUuid)                      \
  X(cuDeviceGetAttribute) X(cuDeviceTotalMem)                                                   \
  X(cuDevicePrimaryCtxRetain) X(cuDevicePrimaryCtxSetFlags) X(cuCtxSetCurrent)                  \
  X(cuCtxSynchronize) X(cuCtxSetLimit) X(cuCtxResetPersistingL2Cache)                           \
  X(cuStreamCreate) X(cuStreamSynchronize) X(cuStreamWriteValue32)                              \
  X(cuEventCreate) X(cuEventRecord) X(cuEventElapsedTime)                                       \
  X(cuMemGetInfo) X(cuMemAlloc) X(cuMemFree) X(cuMemHostAlloc) X(cuMemHostGetDevicePointer)     \
  X(cuMemcpyHtoD) X(cuMemcpyDtoH) X(cuMemcpyDtoDAsync) X(cuMemsetD8Async)                       \
  X(cuMemCreate) X(cuMemRelease) X(cuMemExportToShareableHandle)                                \
  X(cuMemImportFromShareableHandle) X(cuMemAddressReserve) X(cuMemAddressFree)                  \
  X(cuMemMap) X(cuMemUnmap) X(cuMemSetAccess)                                                   \
  X(cuModuleLoadData) X(cuModuleUnload) X(cuModuleGetFunction) X(cuFuncSetAttribute)            \
  X(cuFuncGetAttribute) X(cuLaunchKernelEx) X(cuTensorMapEncodeTiled)
// Null where the driver is older than 12.4.
#define KP_CUDA_LATER_FUNCTIONS(X) X(cuFuncGetParamInfo)
// clang-format on

namespace kp::device::cuda {

struct Driver {
#define KP_CUDA_MEMBER(function) decltype(&(::function)) function = nullptr;
  KP_CUDA_FUNCTIONS(KP_CUDA_MEMBER)
  KP_CUDA_LATER_FUNCTIONS(KP_CUDA_MEMBER)
#undef KP_CUDA_MEMBER
};

/// Opens libcuda.so.1, which then stays open; starts nothing. kUnavailable says what is missing.
Result<Driver> open_driver();

/// "CUDA_ERROR_ILLEGAL_ADDRESS"; of a code that the driver does not know, its number.
std::string name_of(const Driver& driver, CUresult code);

}  // namespace kp::device::cuda

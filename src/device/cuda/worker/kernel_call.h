// SPDX-License-Identifier: Apache-2.0
// Launches of kernels of our own, and images as the driver wants them.
#pragma once
#include <array>
#include <cstddef>
#include <span>

#include "device/cuda/worker/driver_call.h"

namespace kp::device::cuda {

struct CallShape {
  unsigned blocks = 1, threads = 1;
  CUstream stream = nullptr;
  unsigned shared = 0;  // bytes, dynamic
};

/// The arguments have exactly the types of the kernel's parameters.
template <class... Arguments>
Faulty<void> call(const Driver& driver, CUfunction function, const CallShape& shape,
                  const Arguments&... arguments) {
  const CUlaunchConfig config{.gridDimX = shape.blocks,
                              .gridDimY = 1,
                              .gridDimZ = 1,
                              .blockDimX = shape.threads,
                              .blockDimY = 1,
                              .blockDimZ = 1,
                              .sharedMemBytes = shape.shared,
                              .hStream = shape.stream,
                              .attrs = nullptr,
                              .numAttrs = 0};
  std::array<void*, sizeof...(arguments)> pointers{
      const_cast<void*>(static_cast<const void*>(&arguments))...};
  KP_CALL(driver, cuLaunchKernelEx, &config, function, pointers.data(), nullptr);
  return {};
}

/// A cubin that came in a message, which need not be aligned.
Faulty<CUmodule> load_image(const Driver& driver, std::span<const std::byte> cubin);

}  // namespace kp::device::cuda

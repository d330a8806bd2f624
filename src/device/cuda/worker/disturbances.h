// SPDX-License-Identifier: Apache-2.0
// The kernels of disturbances.cu: leftovers of earlier launches are overwritten, and some SMs are
// busy while a candidate runs. A kernel that is right does not notice.
#pragma once
#include <cstdint>

#include "device/cuda/driver.h"
#include "device/cuda/worker/driver_call.h"

namespace kp::device::cuda {

/// Host memory that the GPU sees too.
struct Occupation {
  volatile std::uint32_t release, begun;  // tickets of kp_occupy
};

struct Disturbances {
  CUfunction fill_shared = nullptr, fill_local = nullptr, occupy = nullptr;
  CUstream beside = nullptr;  // where kp_occupy runs
  Occupation* board = nullptr;
  CUdeviceptr board_address = 0;
  std::uint32_t ticket = 0;
  unsigned sm_count = 0, shared_bytes = 0;  // of a block, at most
  std::uint64_t salt = 0;                   // of the next pattern
};

/// `module`: kernels.cu and disturbances.cu. Launches each kernel once: what the driver allocates
/// for local frames it allocates now.
Faulty<Disturbances> make_disturbances(const Driver& driver, CUdevice device, CUmodule module);

/// Onto the stream: random patterns over the shared memory of all SMs and over local frames.
Faulty<void> fill_leftovers(const Driver& driver, Disturbances& disturbances, CUstream stream);

/// A random part of the SMs, up to a half, is taken from now until leave(); for two milliseconds at
/// most, so that work which needs all of them waits and does not hang.
Faulty<void> occupy(const Driver& driver, Disturbances& disturbances, std::uint64_t seed);
Faulty<void> leave(const Driver& driver, Disturbances& disturbances);

}  // namespace kp::device::cuda

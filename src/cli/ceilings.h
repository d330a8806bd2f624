// SPDX-License-Identifier: Apache-2.0
// What a GPU reaches, by kernels of our own through the same seam as candidates; for
// `doctor --calibrate`.
#pragma once
#include <string>
#include <vector>

#include "build/toolchain.h"
#include "device/device.h"

namespace kp::cli {

struct Ceiling {
  std::string key;  // of a device spec: "dram_sustained", "f16"
  double value = 0;
  std::string unit;
  std::string how;  // "copy of 400 MB", "mma.sync"
};

/// Measures one after the other, some seconds in all. What the GPU has no instruction for is left
/// out. Errors: the kernels do not compile, no memory, a kernel that does not end.
Result<std::vector<Ceiling>> measure_ceilings(device::Device& device,
                                              const build::Toolchain& toolchain);

}  // namespace kp::cli

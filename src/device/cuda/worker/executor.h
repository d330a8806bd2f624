// SPDX-License-Identifier: Apache-2.0
// What the process holds: one context of one GPU with memory, modules and instruments.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "device/cuda/driver.h"
#include "device/cuda/worker/disturbances.h"
#include "device/cuda/worker/instruments.h"

namespace kp::device::cuda {

/// Physical memory that is mapped at an address.
struct Mapping {
  CUmemGenericAllocationHandle handle = 0;
  std::uint64_t bytes = 0;
};

struct Module {
  CUmodule handle = nullptr;
  std::map<std::string, CUfunction> kernels;  // that were launched, by name
};

struct Executor {
  Driver driver;
  int gpu = -1;  // number of the device; -1 until `open`
  CUdevice device = 0;
  CUcontext context = nullptr;
  CUstream stream = nullptr;
  int dynamic_shared_limit = 0;  // bytes per block with opt-in
  std::span<std::byte> staging;
  std::map<std::uint64_t, Mapping> mappings;
  std::map<int, Module> modules;
  int last_module = 0;
  Instruments instruments;
  Disturbances disturbances;
};

}  // namespace kp::device::cuda

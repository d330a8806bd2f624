// SPDX-License-Identifier: Apache-2.0
// A module on the virtual GPU and the launches of its kernels. Used by vgpu.cc.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "device/device.h"
#include "vgpu/machine.h"
#include "vgpu/memory.h"
#include "vgpu/time_model.h"

namespace kp::device {

/// A module: its kernels lowered, and a machine that keeps its variables.
struct VgpuModule : Loaded {
  VgpuModule(const DeviceSpec& spec, vgpu::Memory& memory) : machine(spec, memory) {}
  struct Kernel {
    vgpu::Program program;
    unsigned registers = 0;  // per thread
  };
  std::map<std::string, Kernel, std::less<>> kernels;
  vgpu::Machine machine;
};

/// Parses and lowers. An instruction that the virtual GPU cannot execute is Crashed{kUnsupported};
/// PTX that cannot be read is an error, since a compiler made it.
Result<std::variant<std::unique_ptr<VgpuModule>, Crashed>> load_module(const build::Binary& binary,
                                                                       const DeviceSpec& spec,
                                                                       vgpu::Memory& memory);

vgpu::LaunchShape shape_of(const BoundLaunch& launch, const VgpuModule::Kernel& kernel);
vgpu::Grid grid_of(const BoundLaunch& launch);
/// Why not even one block fits on an SM, or that a cooperative grid cannot be resident at once.
std::optional<Crashed> does_not_fit(const DeviceSpec& spec, const BoundLaunch& launch,
                                    const VgpuModule::Kernel& kernel);
Crashed crash_of(const vgpu::Fault& fault);

}  // namespace kp::device

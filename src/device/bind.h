// SPDX-License-Identifier: Apache-2.0
// From a plan and addresses to bound steps.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "build/build.h"
#include "device/device.h"
#include "model/task.h"

namespace kp::device {

/// Addresses of tensors and scratch buffers by name, and values of scalar inputs.
struct Binding {
  std::map<std::string, std::uint64_t> addresses;
  std::map<std::string, std::uint64_t> bytes;  // of buffers and outputs, for zero steps
  std::map<std::string, double> scalars;
  std::map<std::string, BoundTensorMap> maps;  // TMA descriptors; offsets are set while binding
  Bindings values;                             // axes and tune parameters
};

/// Packs the parameter block of each launch by the kernel's signature. Errors are the plan's: a
/// value that does not fit its parameter, a form that `device` cannot run (cluster, cooperative,
/// tensormap: kUnsupported, "not on this device").
Result<std::vector<BoundStep>> bind_steps(const std::vector<Step>& steps,
                                          const build::Binary& binary, const Binding& binding,
                                          const Description& device);

}  // namespace kp::device

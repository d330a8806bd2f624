// SPDX-License-Identifier: Apache-2.0
// NVML, NVIDIA's management library, opened at run time: what it says of one GPU. It only reads.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "device/hardware.h"

namespace kp::device::cuda {

class Nvml {
 public:
  /// Absent library or GPU: everything that is asked stays unknown.
  Nvml();
  ~Nvml();
  /// By UUID ("GPU-..."), or, where that is empty or unknown, by number in PCI order.
  void select(const std::string& uuid, int number);
  GpuState state() const;
  /// 90 for compute capability 9.0.
  std::optional<int> capability() const;

 private:
  struct Library;
  std::unique_ptr<Library> library_;
};

}  // namespace kp::device::cuda

// SPDX-License-Identifier: Apache-2.0
// Where knowledge about a run comes from. One file per source; catalog.cc lists them. Each adds
// what it knows to a Profile; what no source knows stays absent.
#pragma once
#include <memory>
#include <string_view>
#include <vector>

#include "build/build.h"
#include "device/hardware.h"
#include "model/profile.h"

namespace kp::profile {

struct ProfileRequest {
  const build::Binary& binary;
  const device::Description& device;
  std::span<const device::BoundStep> steps;
  const device::TimeReport& timing;
  std::string workload;
  // On hardware: what is to be launched again for counters. Null on virtual devices.
  device::Hardware* hardware = nullptr;
  device::Loaded* loaded = nullptr;
  /// Few passes for every candidate, all metrics for nodes about to be expanded and final verdicts.
  enum class Effort { kTriage, kFull } effort = Effort::kTriage;
  bool vendor_rules = false;  // Nsight Compute's, with all metrics
};

class Source {
 public:
  virtual ~Source() = default;
  virtual std::string_view name() const = 0;
  /// True when this source has something to say about runs on `device`.
  virtual bool serves(const device::Description& device) const = 0;
  /// False where the binary says it all: collect() then runs beside those who ask the device.
  virtual bool asks_device() const { return true; }
  /// Adds metrics and lines to `profile.kernels`, which has one entry for each launch.
  virtual Result<void> collect(const ProfileRequest& request, Profile& profile) const = 0;
};

/// All sources, in the order in which they are asked; the first to know a metric wins.
const std::vector<std::unique_ptr<Source>>& sources();

Result<Profile> collect(const ProfileRequest& request);

}  // namespace kp::profile

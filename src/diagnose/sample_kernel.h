// SPDX-License-Identifier: Apache-2.0
// For tests of tools: a plain streaming kernel on the H200 that nothing is wrong with, of which a
// test changes what it is about. 64 Mi floats are read and written once; counts are those of the
// whole launch.
#pragma once
#include <initializer_list>
#include <utility>

#include "diagnose/resources.h"
#include "diagnose/tool.h"

namespace kp::diagnose {

/// The norm that joined the components of the sample and of the recorded profiles. A calibration of
/// the device's own changes neither.
inline constexpr double kRecordedOverlap = 4;

struct SampleKernel {
  KernelProfile kernel;
  DeviceSpec device;
  Floor floor{.bytes = 537e6, .flops = 67e6};
  Boundness boundness = Boundness::kMemory;
  double headroom = 10;

  SampleKernel();

  void set(std::initializer_list<std::pair<MetricKey, double>> values);
  /// The components of the time model in ns: DRAM, L2, L1, issue, pipe, latency.
  void times(const std::array<double, kResources>& alone);
  void forget(const MetricKey& key);

  Evidence evidence() const { return {kernel, device, floor, boundness, headroom}; }
  Verdict ask(std::string_view tool) const;
  /// The finding of `tool`; fails the test and returns an empty one when there is none.
  Finding finding(std::string_view tool) const;
  bool silent(std::string_view tool) const;
  /// Why `tool` could not look; empty when it could.
  std::string why_not(std::string_view tool) const;
};

}  // namespace kp::diagnose

// SPDX-License-Identifier: Apache-2.0
// For tests of tools: a plain streaming kernel on the H200 that nothing is wrong with, of which a
// test changes what it is about. 64 Mi floats are read and written once; counts are those of the
// whole launch.
#pragma once
#include <gtest/gtest.h>

#include <initializer_list>
#include <utility>

#include "diagnose/tool.h"

namespace kp::diagnose {

struct SampleKernel {
  KernelProfile kernel;
  DeviceSpec device;
  Floor floor{.bytes = 537e6, .flops = 67e6};
  Boundness boundness = Boundness::kMemory;
  double headroom = 10;

  SampleKernel() {
    Result<DeviceSpec> spec = read_device_spec(KP_SOURCE_DIR "/specs/h200.toml");
    EXPECT_TRUE(spec) << (spec ? "" : spec.error().text());
    if (spec) device = *std::move(spec);
    kernel.kernel = "sample";
    set({{metric::kDuration, 300e3},
         {metric::kInstructions, 42e6},
         {metric::kIssueActive, 0.13},
         {metric::kThreadsPredOnPerInst, 32},
         {metric::kBlockSize, 256},
         {metric::kGridSize, 262144},
         {metric::kRegisters, 16},
         {metric::kSharedPerBlock, 0}});
    set({{metric::kDramRead, 268e6},
         {metric::kDramWrite, 268e6},
         {metric::kL2SectorsFromL1, 16.8e6},
         {metric::kL1HitRate, 0}});
    set({{metric::kGlobalLoadInst, 2.1e6},
         {metric::kGlobalLoadRequests, 2.1e6},
         {metric::kGlobalLoadSectors, 8.4e6},
         {metric::kLoadBytesPerSector, 32},
         {metric::kLoadWidth, 4},
         {metric::kLoadUnitStride, 100}});
    set({{metric::kGlobalStoreInst, 2.1e6},
         {metric::kGlobalStoreRequests, 2.1e6},
         {metric::kGlobalStoreSectors, 8.4e6},
         {metric::kStoreBytesPerSector, 32},
         {metric::kStoreWidth, 4},
         {metric::kStoreUnitStride, 100}});
    set({{metric::kSharedLoadConflicts, 0},
         {metric::kSharedStoreConflicts, 0},
         {metric::kSharedLoadWavefronts, 0},
         {metric::kSharedStoreWavefronts, 0}});
    set({{metric::kFadd, 67e6},
         {metric::kFmul, 0},
         {metric::kFfma, 0},
         {metric::kDadd, 0},
         {metric::kDmul, 0},
         {metric::kDfma, 0},
         {metric::kXuInst, 0},
         {metric::kConversionInst, 0},
         {metric::kIntegerInst, 400e6},
         {metric::kControlInst, 100e6}});
    times(125e3, 100e3, 30e3, 40e3, 30e3, 60e3);
  }

  void set(std::initializer_list<std::pair<MetricKey, double>> values) {
    for (const auto& [key, value] : values) kernel.metrics.set(key, value, Grade::kModelled);
  }
  /// The components of the time model, ns.
  void times(double dram, double l2, double l1, double issue, double pipe, double latency) {
    set({{metric::kModelDram, dram},
         {metric::kModelL2, l2},
         {metric::kModelL1, l1},
         {metric::kModelIssue, issue},
         {metric::kModelPipe, pipe},
         {metric::kModelLatency, latency}});
  }
  void forget(const MetricKey& key) {
    MetricSet rest;
    for (const auto& [name, metric] : kernel.metrics.all()) {
      if (name != key.name) rest.set(name, metric);
    }
    kernel.metrics = rest;
  }

  Evidence evidence() const { return {kernel, device, floor, boundness, headroom}; }
  Verdict ask(std::string_view tool) const { return diagnose::ask(*find_tool(tool), evidence()); }
  /// The finding of `tool`; fails the test and returns an empty one when there is none.
  Finding finding(std::string_view tool) const {
    const Verdict verdict = ask(tool);
    const auto* finding = std::get_if<Finding>(&verdict);
    EXPECT_NE(finding, nullptr) << tool << " said nothing";
    return finding ? *finding : Finding{};
  }
  bool silent(std::string_view tool) const { return std::holds_alternative<Silent>(ask(tool)); }
  /// Why `tool` could not look; empty when it could.
  std::string why_not(std::string_view tool) const {
    const Verdict verdict = ask(tool);
    const auto* no = std::get_if<NotApplicable>(&verdict);
    return no ? no->why : "";
  }
};

}  // namespace kp::diagnose

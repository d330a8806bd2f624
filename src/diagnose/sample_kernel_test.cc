// SPDX-License-Identifier: Apache-2.0
#include "diagnose/sample_kernel.h"

#include <gtest/gtest.h>

namespace kp::diagnose {
namespace {

void set_memory(SampleKernel& sample) {
  sample.set({{metric::kDramRead, 268e6},
              {metric::kDramWrite, 268e6},
              {metric::kL2SectorsFromL1, 16.8e6},
              {metric::kL1HitRate, 0}});
  sample.set({{metric::kGlobalLoadInst, 2.1e6},
              {metric::kGlobalLoadRequests, 2.1e6},
              {metric::kGlobalLoadSectors, 8.4e6},
              {metric::kLoadBytesPerSector, 32},
              {metric::kLoadWidth, 4},
              {metric::kLoadUnitStride, 100}});
  sample.set({{metric::kGlobalStoreInst, 2.1e6},
              {metric::kGlobalStoreRequests, 2.1e6},
              {metric::kGlobalStoreSectors, 8.4e6},
              {metric::kStoreBytesPerSector, 32},
              {metric::kStoreWidth, 4},
              {metric::kStoreUnitStride, 100}});
  sample.set({{metric::kSharedLoadConflicts, 0},
              {metric::kSharedStoreConflicts, 0},
              {metric::kSharedLoadWavefronts, 0},
              {metric::kSharedStoreWavefronts, 0}});
}

void set_arithmetic(SampleKernel& sample) {
  sample.set({{metric::kInstructions, 42e6},
              {metric::kThreadsPredOnPerInst, 32},
              {metric::kIssueActive, 0.13}});
  sample.set({{metric::kFadd, 67e6},
              {metric::kFmul, 0},
              {metric::kFfma, 0},
              {metric::kDadd, 0},
              {metric::kDmul, 0},
              {metric::kDfma, 0}});
  sample.set({{metric::kXuInst, 0},
              {metric::kConversionInst, 0},
              {metric::kIntegerInst, 400e6},
              {metric::kControlInst, 100e6}});
}

}  // namespace

SampleKernel::SampleKernel() {
  Result<DeviceSpec> spec = read_device_spec(KP_SOURCE_DIR "/specs/h200.toml");
  EXPECT_TRUE(spec) << (spec ? "" : spec.error().text());
  if (spec) device = *std::move(spec);
  device.model["overlap_exponent"] = kRecordedOverlap;
  kernel.kernel = "sample";
  set({{metric::kDuration, 300e3},
       {metric::kBlockSize, 256},
       {metric::kGridSize, 262144},
       {metric::kRegisters, 16},
       {metric::kSharedPerBlock, 0}});
  set_memory(*this);
  set_arithmetic(*this);
  times({125e3, 100e3, 30e3, 40e3, 30e3, 60e3});
}

void SampleKernel::set(std::initializer_list<std::pair<MetricKey, double>> values) {
  for (const auto& [key, value] : values) kernel.metrics.set(key, value, Grade::kModelled);
}

void SampleKernel::times(const std::array<double, kResources>& alone) {
  const auto [dram, l2, l1, issue, pipe, latency] = alone;
  set({{metric::kModelDram, dram},
       {metric::kModelL2, l2},
       {metric::kModelL1, l1},
       {metric::kModelIssue, issue},
       {metric::kModelPipe, pipe},
       {metric::kModelLatency, latency}});
}

void SampleKernel::forget(const MetricKey& key) {
  MetricSet rest;
  for (const auto& [name, metric] : kernel.metrics.all()) {
    if (name != key.name) rest.set(name, metric);
  }
  kernel.metrics = rest;
}

Verdict SampleKernel::ask(std::string_view tool) const {
  return diagnose::ask(*find_tool(tool), evidence());
}

Finding SampleKernel::finding(std::string_view tool) const {
  const Verdict verdict = ask(tool);
  const auto* found = std::get_if<Finding>(&verdict);
  EXPECT_NE(found, nullptr) << tool << " said nothing";
  return found ? *found : Finding{};
}

bool SampleKernel::silent(std::string_view tool) const {
  return std::holds_alternative<Silent>(ask(tool));
}

std::string SampleKernel::why_not(std::string_view tool) const {
  const Verdict verdict = ask(tool);
  const auto* no = std::get_if<NotApplicable>(&verdict);
  return no ? no->why : "";
}

}  // namespace kp::diagnose

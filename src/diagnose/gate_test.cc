// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "diagnose/diagnose.h"
#include "diagnose/sample_kernel.h"

namespace kp::diagnose {
namespace {

Gate gate_of(const SampleKernel& sample) {
  return classify(sample.floor, {.kernels = {sample.kernel}}, sample.device);
}

/// Neither at the roof nor near any peak by its components.
SampleKernel with_throughputs(double compute, double memory) {
  SampleKernel sample;
  sample.set({{metric::kComputePct, compute}, {metric::kMemoryPct, memory}});
  return sample;
}

TEST(Gate, TheoryWinsOverAMemorySystemThatSharedWavefrontsFill) {
  SampleKernel sample = with_throughputs(40, 95);
  sample.floor = {.bytes = 50e6, .flops = 1.4e11 / 16, .contraction = true};
  sample.set({{metric::kDuration, 900e3}});
  EXPECT_EQ(gate_of(sample).boundness, Boundness::kCompute);
  sample.floor.flops = 50e6;
  EXPECT_EQ(gate_of(sample).boundness, Boundness::kMemory);
}

TEST(Gate, AContractionIsJudgedByItsTensorDatapathAndOtherWorkByTheLanes) {
  SampleKernel sample = with_throughputs(70, 70);
  sample.floor = {
      .bytes = 50e6, .flops = 100 * 50e6, .contraction = true, .precision = Precision::kBf16};
  EXPECT_EQ(gate_of(sample).boundness, Boundness::kMemory) << gate_of(sample).why;
  sample.floor.contraction = false;
  EXPECT_EQ(gate_of(sample).boundness, Boundness::kCompute) << gate_of(sample).why;
}

TEST(Gate, LatencyComesFromMeasurement) {
  EXPECT_EQ(gate_of(with_throughputs(59, 58)).boundness, Boundness::kLatency);
  EXPECT_EQ(gate_of(with_throughputs(61, 58)).boundness, Boundness::kMemory);
}

TEST(Gate, MeasurementDecidesWhenTheTaskDoesNotStateItsFlop) {
  SampleKernel sample = with_throughputs(65, 72);
  sample.floor.flops.reset();
  EXPECT_EQ(gate_of(sample).boundness, Boundness::kMixed);
  sample.set({{metric::kComputePct, 85}});
  EXPECT_EQ(gate_of(sample).boundness, Boundness::kCompute);
  sample.set({{metric::kComputePct, 61}});
  EXPECT_EQ(gate_of(sample).boundness, Boundness::kMemory);
}

TEST(Gate, AShortRunThatNothingExplainsIsBoundByItsLaunch) {
  SampleKernel sample = with_throughputs(5, 10);
  sample.floor = {.bytes = 1e6, .flops = 1e5};
  sample.set({{metric::kDuration, 9.9e3}});
  EXPECT_EQ(gate_of(sample).boundness, Boundness::kLaunch);
  sample.set({{metric::kDuration, 10.1e3}});
  EXPECT_EQ(gate_of(sample).boundness, Boundness::kLatency);
}

TEST(Gate, ComponentsStandInForThroughputs) {
  SampleKernel sample;
  sample.times({250e3, 100e3, 30e3, 40e3, 30e3, 60e3});
  EXPECT_EQ(gate_of(sample).boundness, Boundness::kMemory);
  sample.times({60e3, 60e3, 30e3, 40e3, 30e3, 280e3});
  EXPECT_EQ(gate_of(sample).boundness, Boundness::kLatency);
}

TEST(Gate, ARunNearItsBoundIsAtTheRoof) {
  SampleKernel sample;
  // 537 MB at 4.3 TB/s are 124.9 us, and 2 us for the launch.
  sample.set({{metric::kDuration, 145e3}});
  EXPECT_TRUE(gate_of(sample).at_roof);
  EXPECT_NEAR(gate_of(sample).headroom, 145 / 126.9, 0.01);
  sample.set({{metric::kDuration, 160e3}});
  EXPECT_FALSE(gate_of(sample).at_roof);
}

TEST(Gate, AModelledRunMayBeFurtherFromItsBoundThanAMeasuredOne) {
  SampleKernel sample;
  sample.set({{metric::kDuration, 152e3}});
  EXPECT_TRUE(gate_of(sample).at_roof);
  sample.kernel.metrics.set(metric::kDuration, 152e3, Grade::kMeasured);
  EXPECT_FALSE(gate_of(sample).at_roof);
}

TEST(Gate, SaturatedDramIsNotARoofWhenItMovesTooMuch) {
  SampleKernel sample;
  sample.set({{metric::kDuration, 260e3}, {metric::kDramRead, 800e6}});
  EXPECT_FALSE(gate_of(sample).at_roof);
}

TEST(Gate, HeadroomIsInfiniteWhenTheTimeIsUnknown) {
  SampleKernel sample;
  sample.forget(metric::kDuration);
  EXPECT_EQ(gate_of(sample).headroom, std::numeric_limits<double>::infinity());
  EXPECT_FALSE(gate_of(sample).at_roof);
}

TEST(Gate, DataThatStaysInTheL2IsBoundByTheL2) {
  SampleKernel sample;
  sample.floor.bytes = 20e6;
  sample.set({{metric::kDuration, 8e3}, {metric::kDramRead, 1e6}, {metric::kDramWrite, 0}});
  EXPECT_FALSE(gate_of(sample).at_roof);
  EXPECT_GT(gate_of(sample).headroom, 2);
}

}  // namespace
}  // namespace kp::diagnose

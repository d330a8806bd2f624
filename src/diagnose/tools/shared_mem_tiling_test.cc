// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "diagnose/actions.h"
#include "diagnose/sample_kernel.h"

namespace kp::diagnose {
namespace {

constexpr std::string_view kTool = "shared_mem_tiling";

/// c = a b in f32, 1024 x 1024 x 1024, one output a thread: two loads for each multiply-add.
SampleKernel naive_product() {
  SampleKernel sample;
  sample.floor = {.bytes = 12.6e6, .flops = 2.147e9, .contraction = true};
  sample.boundness = Boundness::kCompute;
  sample.set({{metric::kDuration, 421e3},
              {metric::kGlobalLoadRequests, 67.1e6},
              {metric::kGlobalLoadSectors, 134e6},
              {metric::kLoadBytesPerSector, 18},
              {metric::kL2SectorsFromL1, 16.9e6},
              {metric::kInstructions, 236e6},
              {metric::kFfma, 1.074e9},
              {metric::kIntegerInst, 3.77e9}});
  sample.times({3e3, 68e3, 397e3, 233e3, 250e3, 215e3});
  sample.kernel.lines = {{.file = "a.cu", .line = 11, .global_requests = 67.1e6}};
  return sample;
}

/// The same through shared memory, still one output a thread.
SampleKernel tiled_product() {
  SampleKernel sample = naive_product();
  sample.set({{metric::kGlobalLoadRequests, 4.2e6},
              {metric::kGlobalLoadSectors, 16.8e6},
              {metric::kSharedLoadWavefronts, 67.1e6}});
  sample.times({3e3, 68e3, 315e3, 148e3, 60e3, 151e3});
  return sample;
}

/// 64 Mi floats, of which each thread loads a window of 49.
SampleKernel box_filter() {
  SampleKernel sample;
  sample.set({{metric::kDuration, 1.5e6},
              {metric::kGlobalLoadRequests, 103e6},
              {metric::kGlobalLoadSectors, 498e6},
              {metric::kLoadBytesPerSector, 26.4},
              {metric::kInstructions, 1040e6},
              {metric::kFadd, 3300e6},
              {metric::kIntegerInst, 17000e6}});
  sample.times({148e3, 121e3, 1400e3, 1000e3, 900e3, 620e3});
  return sample;
}

TEST(SharedMemTiling, FiresOnANaiveProduct) {
  const Finding finding = naive_product().finding(kTool);
  EXPECT_EQ(finding.severity, Severity::kCritical);
  EXPECT_GT(finding.gain.high, 2);
  ASSERT_EQ(finding.prescriptions.size(), 2u);
  EXPECT_EQ(finding.prescriptions[0].action, action::kRegisterTile);
  EXPECT_EQ(finding.prescriptions[1].action, action::kReuseThroughShared);
  EXPECT_NE(finding.saw.find("a.cu:11"), std::string::npos) << finding.saw;
}

TEST(SharedMemTiling, AsksForRegistersOnceThereIsASharedTile) {
  const Finding finding = tiled_product().finding(kTool);
  ASSERT_EQ(finding.prescriptions.size(), 2u);
  EXPECT_EQ(finding.prescriptions[0].action, action::kRegisterTile);
  EXPECT_EQ(finding.prescriptions[1].action, action::kDoubleBuffer);
}

TEST(SharedMemTiling, StartsWithSharedMemoryWhenTheL2IsTheLimit) {
  SampleKernel sample = naive_product();
  sample.set({{metric::kL2SectorsFromL1, 130e6}});
  sample.times({3e3, 520e3, 397e3, 233e3, 250e3, 215e3});
  EXPECT_EQ(sample.finding(kTool).prescriptions.at(0).action, action::kReuseThroughShared);
}

TEST(SharedMemTiling, IsSilentWhenEachLoadServesManyMultiplyAdds) {
  SampleKernel sample = tiled_product();
  sample.set({{metric::kSharedLoadWavefronts, 8.4e6}, {metric::kGlobalLoadSectors, 4.2e6}});
  sample.set({{metric::kGlobalLoadRequests, 1.05e6}});
  EXPECT_TRUE(sample.silent(kTool));
}

TEST(SharedMemTiling, SpeaksAtTwiceTheLoadsOfATile) {
  SampleKernel sample = tiled_product();
  sample.set({{metric::kSharedLoadWavefronts, 12.2e6}});  // 0.49 wavefronts a multiply-add
  EXPECT_TRUE(sample.silent(kTool));
  sample.set({{metric::kSharedLoadWavefronts, 12.8e6}});  // 0.51
  EXPECT_FALSE(sample.silent(kTool));
}

TEST(SharedMemTiling, ExpectsMoreOfTensorCores) {
  SampleKernel sample = tiled_product();
  sample.floor.precision = Precision::kF16;
  sample.set({{metric::kSharedLoadWavefronts, 4e6}, {metric::kGlobalLoadSectors, 4.2e6}});
  sample.set({{metric::kGlobalLoadRequests, 1.05e6}, {metric::kTensorPct, 0}});
  EXPECT_TRUE(sample.silent(kTool));
  sample.set({{metric::kTensorPct, 20}});
  EXPECT_FALSE(sample.silent(kTool));
}

TEST(SharedMemTiling, NamesTensorCoresFirstWhereTheClassAllowsHalfOperands) {
  SampleKernel sample = tiled_product();
  sample.set({{metric::kSharedLoadWavefronts, 40e6}});
  EXPECT_EQ(sample.finding(kTool).prescriptions.at(0).action, action::kRegisterTile);
  sample.floor.precision = Precision::kBf16;
  EXPECT_EQ(sample.finding(kTool).prescriptions.at(0).action, action::kTensorCores);
}

TEST(SharedMemTiling, FiresOnAWindowThatNeighboursShare) {
  const Finding finding = box_filter().finding(kTool);
  EXPECT_EQ(finding.prescriptions.at(0).action, action::kRegisterTile);
  EXPECT_NE(finding.saw.find("24.5 times"), std::string::npos) << finding.saw;
}

TEST(SharedMemTiling, IsSilentWhenDramHidesTheWindow) {
  SampleKernel sample = box_filter();
  sample.times({1450e3, 121e3, 400e3, 300e3, 300e3, 200e3});
  EXPECT_TRUE(sample.silent(kTool));
}

TEST(SharedMemTiling, IsSilentOnThreePassesOverARow) {
  SampleKernel sample = box_filter();
  sample.set({{metric::kGlobalLoadRequests, 6.3e6},
              {metric::kGlobalLoadSectors, 25.2e6},
              {metric::kLoadBytesPerSector, 32}});
  EXPECT_TRUE(sample.silent(kTool));
}

TEST(SharedMemTiling, IsNotApplicableWhenAContractionDoesNotStateItsFlop) {
  SampleKernel sample = naive_product();
  sample.floor.flops.reset();
  EXPECT_NE(sample.why_not(kTool).find("FLOP"), std::string::npos);
}

TEST(SharedMemTiling, NamesTheMetricThatIsUnknown) {
  SampleKernel sample = box_filter();
  sample.forget(metric::kLoadBytesPerSector);
  EXPECT_NE(sample.why_not(kTool).find(metric::kLoadBytesPerSector.name), std::string::npos);
}

}  // namespace
}  // namespace kp::diagnose

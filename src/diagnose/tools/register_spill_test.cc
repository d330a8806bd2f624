// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "diagnose/actions.h"
#include "diagnose/sample_kernel.h"

namespace kp::diagnose {
namespace {

constexpr std::string_view kTool = "register_spill";

SampleKernel plain() {
  SampleKernel sample;
  sample.set({{metric::kSpillBytes, 0},
              {metric::kStackBytes, 0},
              {metric::kLocalLoadSectors, 0},
              {metric::kLocalStoreSectors, 0}});
  return sample;
}

/// An array of 16 floats a thread with an index that depends on the values.
SampleKernel indexed() {
  SampleKernel sample = plain();
  sample.set({{metric::kStackBytes, 64},
              {metric::kLocalLoadSectors, 134e6},
              {metric::kLocalStoreSectors, 67e6},
              {metric::kL2SectorsFromL1, 84e6},
              {metric::kInstructions, 200e6}});
  sample.times({125e3, 200e3, 250e3, 190e3, 60e3, 60e3});
  sample.kernel.lines = {{.file = "a.cu", .line = 9, .local_sectors = 201e6}};
  return sample;
}

/// 48 values in 32 registers.
SampleKernel spilling() {
  SampleKernel sample = plain();
  sample.set({{metric::kSpillBytes, 128}, {metric::kStackBytes, 64}, {metric::kRegisters, 32}});
  return sample;
}

void count_on_hardware(SampleKernel& sample, double sectors) {
  sample.kernel.metrics.set(metric::kLocalLoadSectors, sectors / 2, Grade::kMeasured);
  sample.kernel.metrics.set(metric::kLocalStoreSectors, sectors / 2, Grade::kMeasured);
}

TEST(RegisterSpill, FiresOnAnArrayWhoseIndexIsNotConstant) {
  const Finding finding = indexed().finding(kTool);
  EXPECT_EQ(finding.prescriptions.at(0).action, action::kConstantIndex);
  EXPECT_NE(finding.saw.find("64 bytes"), std::string::npos) << finding.saw;
  EXPECT_NE(finding.saw.find("a.cu:9"), std::string::npos) << finding.saw;
  EXPECT_GT(finding.gain.high, 1.3);
}

TEST(RegisterSpill, SendsALargeArrayToSharedMemory) {
  SampleKernel sample = indexed();
  sample.set({{metric::kStackBytes, 1024}});
  EXPECT_EQ(sample.finding(kTool).prescriptions.at(0).action, action::kTableToShared);
}

TEST(RegisterSpill, IsSilentWithoutLocalMemory) { EXPECT_TRUE(plain().silent(kTool)); }

TEST(RegisterSpill, IsSilentWhenLocalAccessesWereOptimisedAway) {
  SampleKernel sample = indexed();
  sample.set({{metric::kStackBytes, 0}});
  EXPECT_TRUE(sample.silent(kTool));
}

TEST(RegisterSpill, IsSilentWhenTheArrayIsHardlyUsed) {
  SampleKernel sample = indexed();
  sample.set({{metric::kLocalLoadSectors, 0.3e6},
              {metric::kLocalStoreSectors, 0.1e6},
              {metric::kL2SectorsFromL1, 16.9e6}});
  EXPECT_TRUE(sample.silent(kTool));
}

TEST(RegisterSpill, LoosensTheBoundsThatMakeTheCompilerSpill) {
  const Finding finding = spilling().finding(kTool);
  ASSERT_EQ(finding.prescriptions.size(), 2u);
  EXPECT_EQ(finding.prescriptions[0].action, action::kLaunchBounds);
  EXPECT_NE(finding.prescriptions[0].text.find("48 registers"), std::string::npos)
      << finding.prescriptions[0].text;
  EXPECT_EQ(finding.prescriptions[1].action, action::kFewerRegisters);
}

TEST(RegisterSpill, AsksForFewerValuesWhereTheHardwareSetsTheLimit) {
  SampleKernel sample = spilling();
  sample.set({{metric::kRegisters, 255}});
  const Finding finding = sample.finding(kTool);
  ASSERT_EQ(finding.prescriptions.size(), 1u);
  EXPECT_EQ(finding.prescriptions[0].action, action::kFewerRegisters);
}

TEST(RegisterSpill, SpeaksFromThirtyTwoBytesWhereNobodyCounts) {
  SampleKernel sample = spilling();
  sample.times({290e3, 100e3, 30e3, 40e3, 30e3, 60e3});
  sample.set({{metric::kSpillBytes, 28}});
  EXPECT_TRUE(sample.silent(kTool));
  sample.set({{metric::kSpillBytes, 32}});
  EXPECT_EQ(sample.finding(kTool).severity, Severity::kInfo);
  sample.set({{metric::kSpillBytes, 64}});  // 8 values and 32 registers
  EXPECT_EQ(sample.finding(kTool).severity, Severity::kWarning);
}

TEST(RegisterSpill, BelievesCountsOfHardware) {
  SampleKernel sample = spilling();
  count_on_hardware(sample, 1e6);
  EXPECT_TRUE(sample.silent(kTool));
  count_on_hardware(sample, 200e6);
  sample.set({{metric::kInstructions, 200e6}});
  sample.times({125e3, 100e3, 250e3, 190e3, 60e3, 60e3});
  EXPECT_GT(sample.finding(kTool).gain.high, 1.2);
}

TEST(RegisterSpill, NamesTheMetricThatIsUnknown) {
  SampleKernel sample = indexed();
  sample.forget(metric::kLocalLoadSectors);
  EXPECT_NE(sample.why_not(kTool).find(metric::kLocalLoadSectors.name), std::string::npos);
  sample.forget(metric::kStackBytes);
  EXPECT_NE(sample.why_not(kTool).find(metric::kStackBytes.name), std::string::npos);
}

}  // namespace
}  // namespace kp::diagnose

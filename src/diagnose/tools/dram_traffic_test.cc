// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "diagnose/actions.h"
#include "diagnose/diagnose.h"
#include "diagnose/sample_kernel.h"

namespace kp::diagnose {
namespace {

constexpr std::string_view kTool = "dram_traffic";

/// 64 Mi floats in and out, and each of them read twice.
SampleKernel rereading() {
  SampleKernel sample;
  sample.floor.written = 268e6;
  sample.set({{metric::kDramRead, 536e6}});
  sample.times({187e3, 130e3, 30e3, 40e3, 30e3, 60e3});
  sample.kernel.lines = {{.file = "a.cu", .line = 7, .global_sectors = 16.8e6}};
  return sample;
}

/// Two kernels that each make one pass, with an array between them.
Profile two_passes() {
  SampleKernel first, second;
  first.kernel.kernel = "first";
  first.kernel.share = 0.6;
  second.kernel.kernel = "second";
  second.kernel.share = 0.4;
  second.kernel.launch = 1;
  return {.kernels = {first.kernel, second.kernel}};
}

Verdict ask_about(const Profile& run, std::size_t kernel) {
  const SampleKernel sample;
  return ask(*find_tool(kTool),
             {run.kernels[kernel], sample.device, sample.floor, Boundness::kMemory, 10, &run});
}

TEST(DramTraffic, FiresWhenEachByteIsReadTwice) {
  const Finding finding = rereading().finding(kTool);
  EXPECT_EQ(finding.severity, Severity::kWarning);
  EXPECT_EQ(finding.prescriptions.at(0).action, action::kReuseThroughShared);
  EXPECT_NE(finding.saw.find("1.5 times"), std::string::npos) << finding.saw;
  EXPECT_NE(finding.saw.find("a.cu:7"), std::string::npos) << finding.saw;
  EXPECT_NE(finding.costs.find("is read:"), std::string::npos) << finding.costs;
}

TEST(DramTraffic, TellsWritesFromReads) {
  SampleKernel sample = rereading();
  sample.set({{metric::kDramRead, 268e6}, {metric::kDramWrite, 536e6}});
  const Finding finding = sample.finding(kTool);
  EXPECT_NE(finding.costs.find("is written:"), std::string::npos) << finding.costs;
  EXPECT_NE(finding.prescriptions.at(0).text.find("Accumulate"), std::string::npos);
}

TEST(DramTraffic, OrdersTheBlocksOfAContractionFirst) {
  SampleKernel sample = rereading();
  sample.floor.contraction = true;
  EXPECT_EQ(sample.finding(kTool).prescriptions.at(0).action, action::kBlockOrder);
}

TEST(DramTraffic, IsSilentOnOnePass) { EXPECT_TRUE(SampleKernel().silent(kTool)); }

TEST(DramTraffic, IsSilentWhenAnotherResourceHidesTheTraffic) {
  SampleKernel sample = rereading();
  sample.times({100e3, 130e3, 30e3, 40e3, 290e3, 60e3});
  EXPECT_TRUE(sample.silent(kTool));
}

TEST(DramTraffic, LeavesHalfEmptySectorsToCoalescing) {
  SampleKernel sample = rereading();
  // Every other element of an array of pairs.
  sample.set({{metric::kGlobalLoadSectors, 16.8e6}, {metric::kLoadBytesPerSector, 16}});
  EXPECT_TRUE(sample.silent(kTool));
}

TEST(DramTraffic, SpeaksFromThirtyPercentMore) {
  SampleKernel sample = rereading();
  sample.set({{metric::kDramRead, 425e6}});  // 1.29 times
  EXPECT_TRUE(sample.silent(kTool));
  sample.set({{metric::kDramRead, 435e6}});  // 1.31 times
  EXPECT_FALSE(sample.silent(kTool));
}

TEST(DramTraffic, SpeaksFromFifteenPercentMoreWhereDramIsFull) {
  SampleKernel sample = rereading();
  sample.times({187e3, 100e3, 30e3, 40e3, 30e3, 60e3});
  sample.set({{metric::kDramRead, 390e6}, {metric::kDuration, 185e3}});  // 1.23 times, 83 %
  EXPECT_FALSE(sample.silent(kTool));
  sample.set({{metric::kDramRead, 340e6}, {metric::kDuration, 171e3}});  // 1.13 times, 83 %
  EXPECT_TRUE(sample.silent(kTool));
}

TEST(DramTraffic, SpeaksOnceAboutAnArrayBetweenTwoKernels) {
  const Profile run = two_passes();
  const Verdict first = ask_about(run, 0);
  const auto* finding = std::get_if<Finding>(&first);
  ASSERT_NE(finding, nullptr);
  ASSERT_EQ(finding->prescriptions.size(), 1u);
  EXPECT_EQ(finding->prescriptions[0].action, action::kFuseOrNarrow);
  EXPECT_NE(finding->saw.find("first, second"), std::string::npos) << finding->saw;
  EXPECT_TRUE(std::holds_alternative<Silent>(ask_about(run, 1)));
}

TEST(DramTraffic, IsSilentWhenSeveralKernelsShareOnePass) {
  Profile run = two_passes();
  for (KernelProfile& kernel : run.kernels) {
    kernel.metrics.set(metric::kDramRead, 134e6, Grade::kModelled);
    kernel.metrics.set(metric::kDramWrite, 134e6, Grade::kModelled);
  }
  EXPECT_TRUE(std::holds_alternative<Silent>(ask_about(run, 0)));
}

TEST(DramTraffic, NamesTheMetricThatIsUnknown) {
  SampleKernel sample = rereading();
  sample.forget(metric::kDramWrite);
  EXPECT_NE(sample.why_not(kTool).find(metric::kDramWrite.name), std::string::npos);
}

}  // namespace
}  // namespace kp::diagnose

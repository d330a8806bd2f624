// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "diagnose/actions.h"
#include "diagnose/sample_kernel.h"

namespace kp::diagnose {
namespace {

constexpr std::string_view kTool = "atomic_contention";

/// A sum of 4 Mi floats in which each thread adds to one address.
SampleKernel one_address() {
  SampleKernel sample;
  sample.floor = {.bytes = 17e6, .flops = 4.2e6};
  sample.headroom = 1000;
  sample.set({{metric::kGlobalAtomInst, 0},
              {metric::kGlobalRedInst, 131e3},
              {metric::kSharedAtomInst, 0},
              {metric::kGlobalAtomicSharing, 32},
              {metric::kL2SectorsFromL1, 655e3},
              {metric::kModelAtomics, 7300e3},
              {metric::kDuration, 7310e3}});
  sample.times({4e3, 7300e3, 1e3, 2e3, 2e3, 7e3});
  sample.kernel.lines = {{.file = "sum.cu", .line = 5, .instructions = 1e6},
                         {.file = "sum.cu", .line = 6, .atomics = 131e3}};
  return sample;
}

/// Counts of bytes in 256 bins that all threads share.
SampleKernel histogram() {
  SampleKernel sample = one_address();
  sample.set({{metric::kGlobalRedInst, 524e3},
              {metric::kGlobalAtomicSharing, 1.06},
              {metric::kL2SectorsFromL1, 16e6},
              {metric::kModelAtomics, 975e3},
              {metric::kDuration, 976e3}});
  sample.times({4e3, 975e3, 18e3, 8e3, 7e3, 18e3});
  return sample;
}

/// The same in shared memory, where half of a warp has one value.
SampleKernel shared_histogram() {
  SampleKernel sample = one_address();
  sample.set({{metric::kGlobalRedInst, 0},
              {metric::kSharedAtomInst, 2.1e6},
              {metric::kSharedAtomicSharing, 16},
              {metric::kGlobalLoadSectors, 2.1e6},
              {metric::kGlobalStoreSectors, 0},
              {metric::kModelAtomics, 0},
              {metric::kDuration, 151e3}});
  sample.times({16e3, 8e3, 150e3, 14e3, 21e3, 9e3});
  return sample;
}

TEST(AtomicContention, FiresOnOneAddressAndAggregatesFirst) {
  const Finding finding = one_address().finding(kTool);
  EXPECT_EQ(finding.severity, Severity::kCritical);
  EXPECT_EQ(finding.prescriptions.at(0).action, action::kAggregateAtomics);
  EXPECT_NE(finding.saw.find("sum.cu:6"), std::string::npos) << finding.saw;
  EXPECT_GT(finding.gain.high, 10);
}

TEST(AtomicContention, PrivatisesAHistogramFirst) {
  const Finding finding = histogram().finding(kTool);
  EXPECT_EQ(finding.prescriptions.at(0).action, action::kPrivatise);
  EXPECT_GT(finding.gain.high, 4);
}

TEST(AtomicContention, WantsFewerBlocksWhereEachAddsOnce) {
  SampleKernel sample = histogram();
  sample.set({{metric::kGridSize, *sample.kernel.metrics.get(metric::kGlobalRedInst)}});
  EXPECT_EQ(sample.finding(kTool).prescriptions.at(0).action, action::kGridStride);
}

TEST(AtomicContention, PromisesLittleWhereAdditionsSpread) {
  SampleKernel sample = histogram();
  sample.set({{metric::kModelAtomics, 220e3}, {metric::kDuration, 225e3}});  // 40 a clock
  sample.times({4e3, 220e3, 18e3, 8e3, 7e3, 18e3});
  const Finding finding = sample.finding(kTool);
  EXPECT_LT(finding.gain.high, 2.1);
  EXPECT_NE(finding.costs.find("however far apart"), std::string::npos) << finding.costs;
}

TEST(AtomicContention, IsSilentWhenAnotherResourceHidesTheAtomics) {
  SampleKernel sample = histogram();
  sample.times({975e3, 200e3, 18e3, 8e3, 7e3, 18e3});
  sample.set({{metric::kModelAtomics, 200e3}});
  EXPECT_TRUE(sample.silent(kTool));
}

TEST(AtomicContention, TreatsFourLanesOnOneAddressAsOneAddress) {
  SampleKernel sample = histogram();
  sample.set({{metric::kGlobalAtomicSharing, 3.9}});
  EXPECT_EQ(sample.finding(kTool).prescriptions.at(0).action, action::kPrivatise);
  sample.set({{metric::kGlobalAtomicSharing, 4.1}});
  EXPECT_EQ(sample.finding(kTool).prescriptions.at(0).action, action::kAggregateAtomics);
}

TEST(AtomicContention, FiresOnLanesThatMeetInSharedMemory) {
  SampleKernel sample = shared_histogram();
  const Finding finding = sample.finding(kTool);
  EXPECT_EQ(finding.prescriptions.at(0).action, action::kAggregateAtomics);
  EXPECT_NE(finding.saw.find("shared memory, 16 lanes"), std::string::npos) << finding.saw;
  sample.set({{metric::kSharedAtomicSharing, 1.9}});
  EXPECT_TRUE(sample.silent(kTool));
}

TEST(AtomicContention, JudgesByStallsWhereTheyWereMeasured) {
  SampleKernel sample = histogram();
  sample.forget(metric::kModelAtomics);
  EXPECT_TRUE(sample.silent(kTool));  // neither known
  sample.times({4e3, 40e3, 18e3, 8e3, 7e3, 975e3});
  sample.set({{metric::kL2AtomSectors, 0},
              {metric::kL2RedSectors, 15e6},
              {metric::kWarpLatency, 100},
              {metric::kStallLongScoreboard, 20},
              {metric::kStallLgThrottle, 40}});
  EXPECT_FALSE(sample.silent(kTool));
  sample.set({{metric::kStallLgThrottle, 9}});  // 29 % of the time
  EXPECT_TRUE(sample.silent(kTool));
}

TEST(AtomicContention, IsNotApplicableWithoutAtomics) {
  SampleKernel sample = one_address();
  sample.set({{metric::kGlobalRedInst, 0}});
  EXPECT_NE(sample.why_not(kTool).find("no atomics"), std::string::npos);
}

TEST(AtomicContention, NamesTheMetricThatIsUnknown) {
  SampleKernel sample = one_address();
  sample.forget(metric::kGlobalRedInst);
  EXPECT_NE(sample.why_not(kTool).find(metric::kGlobalRedInst.name), std::string::npos);
}

}  // namespace
}  // namespace kp::diagnose

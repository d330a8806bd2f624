// SPDX-License-Identifier: Apache-2.0
#include "harness/labels.h"

#include <gtest/gtest.h>

namespace kp::harness {
namespace {

/// A product whose FLOP take 1 us at the peak of f32, 0.1 us at that of tf32; its bytes take 500
/// ns.
class LabelsTest : public testing::Test {
 protected:
  LabelsTest() {
    declaration_.work = {.flops = Expr(1'000'000), .bytes = Expr(500), .contraction = true};
    workload_.name = "large";
    spec_.flops = {{Precision::kF32, 1e12}, {Precision::kTf32, 1e13}};
    spec_.dram_peak = 1e9;
  }
  std::vector<std::string> names(double nanoseconds, Precision precision = Precision::kF32) {
    const auto labels = labels_for({declaration_, workload_, spec_, precision, nanoseconds});
    EXPECT_TRUE(labels) << labels.error().text();
    std::vector<std::string> names;
    for (const Label& label : *labels) {
      names.push_back(label.name);
      EXPECT_NE(label.text.find("large"), std::string::npos);
    }
    return names;
  }

  Declaration declaration_;
  Workload workload_;
  DeviceSpec spec_;
};
using Names = std::vector<std::string>;

TEST_F(LabelsTest, AContractionFasterThanThePeakOfItsClassIsLabelled) {
  EXPECT_EQ(names(999), Names{"flop-floor"});
  EXPECT_EQ(names(1001), Names{});
  EXPECT_EQ(names(999, Precision::kTf32), Names{});
}

TEST_F(LabelsTest, OtherWorkHasNoFlopFloor) {
  declaration_.work.contraction = false;
  EXPECT_EQ(names(600), Names{});
  declaration_.work = {.flops = {}, .bytes = Expr(500), .contraction = true};
  EXPECT_EQ(names(600), Names{}) << "nothing is said of FLOP";
}

TEST_F(LabelsTest, TimesWithinATenthOfTheByteFloorAreLabelled) {
  declaration_.work.contraction = false;
  EXPECT_EQ(names(505), Names{"near-byte-floor"});
  EXPECT_EQ(names(551), Names{});
}

TEST_F(LabelsTest, AClassThatTheSpecDoesNotKnowHasNoFloor) {
  EXPECT_EQ(names(999, Precision::kF8), Names{});
}

}  // namespace
}  // namespace kp::harness

// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/worker/counters_plan.h"

#include <gtest/gtest.h>

#include <cmath>

#include "device/cuda/worker/counters_api.h"

namespace kp::device::cuda {
namespace {

using Names = std::vector<std::string>;

/// CUPTI's host half works without a GPU, where the library is.
Result<std::unique_ptr<CounterPlan>> gh100(const Names& names) {
  return CounterPlan::make({.name = "GH100"}, names);
}

#define SKIP_WITHOUT_CUPTI(plan) \
  if (!(plan)) GTEST_SKIP() << (plan).error().text()

TEST(CounterPlan, LeavesOutNamesThatTheChipDoesNotHave) {
  const auto plan = gh100({"sm__cycles_active.avg", "launch__grid_size", "nonsense__x.sum",
                           "sm__cycles_active.nonsense", "dram__bytes_op_read.sum"});
  SKIP_WITHOUT_CUPTI(plan);
  EXPECT_EQ((*plan)->names(), Names{"sm__cycles_active.avg"});
  EXPECT_EQ((*plan)->passes(), 1);
  EXPECT_FALSE((*plan)->image().empty());
}

TEST(CounterPlan, NamesWithoutARollupAreLeftOut) {
  const auto plan = gh100({"sm__cycles_active", "dram__bytes_read.sum"});
  SKIP_WITHOUT_CUPTI(plan);
  EXPECT_EQ((*plan)->names(), Names{"dram__bytes_read.sum"});
}

TEST(CounterPlan, CountsPassesOfThroughputsAsManyMoreThanOne) {
  const auto plan = gh100({"sm__throughput.avg.pct_of_peak_sustained_elapsed"});
  SKIP_WITHOUT_CUPTI(plan);
  EXPECT_EQ((*plan)->passes(), 8);  // CUDA 13.0
}

TEST(CounterPlan, WithNothingToCountTakesNoPass) {
  const auto plan = gh100({"launch__grid_size"});
  SKIP_WITHOUT_CUPTI(plan);
  EXPECT_EQ((*plan)->passes(), 0);
  const auto values = (*plan)->evaluate({}, 0);
  ASSERT_TRUE(values);
  EXPECT_TRUE(values->empty());
}

TEST(CounterPlan, SaysSoWhenCuptiDoesNotKnowTheChip) {
  SKIP_WITHOUT_CUPTI(gh100({}));
  const auto plan = CounterPlan::make({.name = "GX999"}, Names{"sm__cycles_active.avg"});
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, ErrorCode::kUnavailable);
}

TEST(CounterFault, TellsForbiddenFromBusy) {
  const Error forbidden = counter_fault(35, "cuptiRangeProfilerEnable").value();
  EXPECT_EQ(forbidden.code, ErrorCode::kUnavailable);
  EXPECT_NE(forbidden.hint.find("NVreg_RestrictProfilingToAdminUsers=0"), std::string::npos);
  const Error busy = counter_fault(39, "cuptiRangeProfilerEnable").value();
  EXPECT_EQ(busy.code, ErrorCode::kBusy);
  const Error other = counter_fault(999, "cuptiRangeProfilerStop").value();
  EXPECT_NE(other.message.find("cuptiRangeProfilerStop failed with CUPTI error 999"),
            std::string::npos);
}

}  // namespace
}  // namespace kp::device::cuda

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "diagnose/actions.h"
#include "diagnose/sample_kernel.h"

namespace kp::diagnose {
namespace {

constexpr std::string_view kTool = "launch_overhead";

/// A program of many short kernels, of which the host is the limit.
Timeline idle_window() {
  return {.window_ns = 1e6,
          .busy_ns = 0.4e6,
          .launches = 100,
          .median_kernel_ns = 4e3,
          .launch_api_ns = 0.9e6};
}

Verdict ask_about(const SampleKernel& sample, const Profile& run) {
  return ask(*find_tool(kTool), {run.kernels.front(), sample.device, sample.floor,
                                 Boundness::kLaunch, sample.headroom, &run});
}

Finding finding_in(const Timeline& timeline) {
  const SampleKernel sample;
  const Profile run{.kernels = {sample.kernel}, .timeline = timeline};
  const Verdict verdict = ask_about(sample, run);
  const auto* finding = std::get_if<Finding>(&verdict);
  EXPECT_NE(finding, nullptr);
  return finding ? *finding : Finding{};
}

bool silent_in(const Timeline& timeline) {
  const SampleKernel sample;
  const Profile run{.kernels = {sample.kernel}, .timeline = timeline};
  return std::holds_alternative<Silent>(ask_about(sample, run));
}

TEST(LaunchOverhead, RecordsLaunchesInAGraphWhereTheHostIsTheLimit) {
  const Finding finding = finding_in(idle_window());
  EXPECT_EQ(finding.severity, Severity::kCritical);
  EXPECT_EQ(finding.prescriptions.at(0).action, action::kLaunchGraph);
  EXPECT_NE(finding.saw.find("idle for 60 %"), std::string::npos) << finding.saw;
}

/// A run of `count` launches of 2 us with gaps of 1 us.
Profile pieces(const SampleKernel& sample, int count) {
  const double each = count;
  Profile run{.timeline = Timeline{.window_ns = 3e3 * each,
                                   .busy_ns = 2e3 * each,
                                   .launches = count,
                                   .median_kernel_ns = 2e3}};
  for (int i = 0; i < count; ++i) {
    KernelProfile& kernel = run.kernels.emplace_back(sample.kernel);
    kernel.launch = i;
    kernel.metrics.set(metric::kDuration, 2e3, Grade::kMeasured);
  }
  return run;
}

TEST(LaunchOverhead, CountsStartsOfAllLaunchesOfAPlanUntilTheRoofOfItsWork) {
  SampleKernel sample;
  sample.device.model["launch_overhead"] = 1600;
  sample.headroom = 4;
  const Profile run = pieces(sample, 20);
  const Verdict verdict = ask_about(sample, run);
  const auto* finding = std::get_if<Finding>(&verdict);
  ASSERT_NE(finding, nullptr);
  EXPECT_NEAR(finding->gain.high, 4 * 3.0 / 2, 1e-9) << "the window over the bound of its work";
  EXPECT_NE(finding->costs.find("Each launch"), std::string::npos) << finding->costs;
}

TEST(LaunchOverhead, NamesWaitsCopiesAndAllocationsThatCostMore) {
  Timeline waits = idle_window();
  waits.launch_api_ns = 1e4;
  waits.sync_ns = 5e5;
  EXPECT_EQ(finding_in(waits).prescriptions.at(0).action, action::kOverlapHost);
  Timeline copies = idle_window();
  copies.launch_api_ns = 1e4;
  copies.copy_ns = 3e5;
  copies.pageable_copy_bytes = 1e6;
  EXPECT_NE(finding_in(copies).prescriptions.at(0).text.find("pinned"), std::string::npos);
  Timeline allocations = idle_window();
  allocations.launch_api_ns = 1e4;
  allocations.allocation_ns = 4e5;
  EXPECT_EQ(finding_in(allocations).prescriptions.at(0).action, action::kPoolAllocations);
}

TEST(LaunchOverhead, IsSilentWhereTheGpuIsBusy) {
  Timeline busy = idle_window();
  busy.busy_ns = 0.81e6;
  busy.median_kernel_ns = 40e3;
  EXPECT_TRUE(silent_in(busy));
  busy.busy_ns = 0.79e6;
  busy.median_kernel_ns = 40e3;
  EXPECT_FALSE(silent_in(busy));
}

TEST(LaunchOverhead, DoesNotPromiseAGraphWhatAGraphHasGivenAlready) {
  Timeline graphs = idle_window();
  graphs.graph_launches = 10;
  EXPECT_EQ(finding_in(graphs).prescriptions.at(0).action, action::kFuseLaunches);
}

TEST(LaunchOverhead, FusesShortLaunchesOfAPlan) {
  SampleKernel sample;
  sample.set({{metric::kDuration, 4e3}});
  Profile run;
  for (int i = 0; i < 4; ++i) {
    run.kernels.push_back(sample.kernel);
    run.kernels.back().launch = i;
    run.kernels.back().share = 0.25;
  }
  const Verdict verdict = ask_about(sample, run);
  ASSERT_TRUE(std::holds_alternative<Finding>(verdict));
  EXPECT_EQ(std::get<Finding>(verdict).prescriptions.at(0).action, action::kFuseLaunches);
  EXPECT_NEAR(std::get<Finding>(verdict).gain.high, 1 / (1 - 3 * 1600.0 / 16e3), 0.01);
  for (KernelProfile& kernel : run.kernels) {
    kernel.metrics.set(metric::kDuration, 40e3, Grade::kModelled);
  }
  EXPECT_TRUE(std::holds_alternative<Silent>(ask_about(sample, run)));
}

TEST(LaunchOverhead, TellsAKernelThatIsHardlyMoreThanItsLaunch) {
  SampleKernel sample;
  sample.set({{metric::kDuration, 2.3e3}});
  EXPECT_LE(sample.finding(kTool).severity, Severity::kWarning);
  sample.set({{metric::kDuration, 2.5e3}});
  EXPECT_TRUE(sample.silent(kTool));
}

TEST(LaunchOverhead, NamesTheMetricThatIsUnknown) {
  SampleKernel sample;
  sample.forget(metric::kDuration);
  EXPECT_NE(sample.why_not(kTool).find(metric::kDuration.name), std::string::npos);
}

}  // namespace
}  // namespace kp::diagnose

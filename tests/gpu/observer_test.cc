// SPDX-License-Identifier: Apache-2.0
// Who looks at a candidate on a real GPU: counters, traces, compute-sanitizer, Nsight Compute.
#include "gpu_fixture.h"

namespace kp::device {
namespace {

using ObservedGpu = Gpu;

TEST_F(ObservedGpu, CountsWhereCountersAreAllowed) {
  const std::unique_ptr<Loaded> module = load();
  const BoundStep steps[] = {step("copy")};
  const MetricKey keys[] = {metric::kDuration, metric::kDramRead};
  const Result<CountReport> report =
      the_gpu()->hardware()->observer().count(*module, {.steps = steps, .metrics = keys});
  if (!report) {
    EXPECT_EQ(report.error().code, ErrorCode::kUnavailable);
    GTEST_SKIP() << report.error().text();
  }
  ASSERT_EQ(report->launches.size(), 1u);
  std::printf("%d passes, %.0f ns\n", report->passes, report->launches[0].nanoseconds);
  EXPECT_TRUE(report->launches[0].metrics.get(metric::kDuration));
}

TEST_F(ObservedGpu, EventsAndCuptiAgreeOnWhatRan) {
  const std::unique_ptr<Loaded> module = load();
  ASSERT_TRUE(module);
  const BoundStep steps[] = {step("slow"), step("copy")};
  const auto trace = the_gpu()->hardware()->observer().trace(*module, {.steps = steps});
  if (!trace) GTEST_SKIP() << "skipped: " << trace.error().message;
  ASSERT_EQ(trace->kernels.size(), 2u);
  EXPECT_EQ(trace->kernels[0].name, "slow");
  EXPECT_EQ(trace->kernels[1].grid[0], static_cast<unsigned>(kCount / 256));
  const double span = trace->kernels[1].end - trace->kernels[0].start;
  std::printf("events %.0f ns, CUPTI %.0f ns\n", trace->event_nanoseconds, span);
  EXPECT_GE(trace->event_nanoseconds + 1000, 0.97 * span);
}

TEST_F(ObservedGpu, ComputeSanitizerSeesAReadBehindAnArray) {
  const std::unique_ptr<Loaded> module = load();
  ASSERT_TRUE(module);
  const BoundStep good = step("copy");
  // 1000 floats end 96 bytes before their page does.
  const std::uint64_t odd = array(std::vector<float>(1000, 1));
  BoundStep bad = step("beyond");
  auto& launch = std::get<BoundLaunch>(bad);
  std::memcpy(&launch.parameters[8], &odd, sizeof odd);
  launch.shape.block[0] = 250;
  EXPECT_TRUE(std::holds_alternative<std::monostate>(run(*module, bad))) << "alone it is not seen";
  const auto clean = the_gpu()->run(*module, {.steps = {&good, 1}, .inspect = Inspect::kCheck});
  if (!clean) GTEST_SKIP() << "skipped: " << clean.error().message;
  EXPECT_TRUE(std::holds_alternative<std::monostate>(*clean));
  const auto found = the_gpu()->run(*module, {.steps = {&bad, 1}, .inspect = Inspect::kCheck});
  the_gpu()->buffers().release(odd);
  ASSERT_TRUE(found) << found.error().text();
  ASSERT_TRUE(std::holds_alternative<Crashed>(*found));
  EXPECT_EQ(std::get<Crashed>(*found).fault, FaultKind::kMemory);
}

TEST_F(ObservedGpu, NsightComputeTellsItsRulesOfEveryLaunch) {
  const std::unique_ptr<Loaded> module = load();
  ASSERT_TRUE(module);
  const BoundStep steps[] = {step("copy"), step("leftover")};
  const auto page = the_gpu()->hardware()->observer().rules(*module, {.steps = steps});
  if (!page) GTEST_SKIP() << "skipped: " << page.error().text();
  EXPECT_NE(page->find("\"Rule Name\""), std::string::npos);
  for (const char* kernel : {"copy", "leftover"}) {
    EXPECT_NE(page->find(kernel), std::string::npos) << kernel;
  }
  write(to_, std::vector<float>(kCount));
  EXPECT_TRUE(std::holds_alternative<std::monostate>(run(*module, steps[0])));
  EXPECT_EQ(result(), values_) << "the device is as usable as before";
}

}  // namespace
}  // namespace kp::device

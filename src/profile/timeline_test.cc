// SPDX-License-Identifier: Apache-2.0
#include "profile/timeline.h"

#include <gtest/gtest.h>

namespace kp::profile {
namespace {

GpuWork kernel(double start, double end) { return {GpuWork::Kind::kKernel, {start, end}}; }
HostCall call(HostCall::Kind kind, double start, double end, std::uint64_t thread = 1) {
  return {kind, {start, end}, thread};
}

TEST(UnionLength, CountsWhatOverlapsOnce) {
  EXPECT_EQ(union_length({{10, 20}, {0, 5}, {15, 30}, {16, 17}}), 25);
  EXPECT_EQ(union_length({}), 0);
}

TEST(Timeline, IsAbsentWithoutKernels) {
  EXPECT_FALSE(timeline_of({}));
  EXPECT_FALSE(steady_window({}));
  EXPECT_FALSE(timeline_of({.work = {{GpuWork::Kind::kFill, {0, 5}}}}));
}

TEST(Timeline, BusyIsTheUnionOfAllWorkAndTheWindowStartsWithTheLaunch) {
  Activity activity{.work = {kernel(100, 200), kernel(150, 260), kernel(400, 440)}};
  activity.calls = {call(HostCall::Kind::kLaunch, 90, 95), call(HostCall::Kind::kLaunch, 96, 99),
                    call(HostCall::Kind::kLaunch, 300, 310)};
  const auto timeline = timeline_of(activity);
  ASSERT_TRUE(timeline);
  EXPECT_EQ(timeline->window_ns, 350);
  EXPECT_EQ(timeline->busy_ns, 200);
  EXPECT_EQ(timeline->launches, 3);
  EXPECT_EQ(timeline->median_kernel_ns, 100);
  EXPECT_EQ(timeline->launch_api_ns, 18);
}

TEST(Timeline, WarmUpEndsWithTheLastAllocationBeforeHalfOfTheLaunches) {
  Activity activity;
  for (double at : {100, 200, 300, 400}) {
    activity.work.push_back(kernel(at, at + 10));
    activity.calls.push_back(call(HostCall::Kind::kLaunch, at - 5, at - 1));
  }
  activity.calls.push_back(call(HostCall::Kind::kAllocation, 120, 180));  // after the first launch
  activity.calls.push_back(call(HostCall::Kind::kSetUp, 10, 20));
  EXPECT_EQ(steady_window(activity)->start, 195);
  activity.calls.push_back(call(HostCall::Kind::kAllocation, 320, 380));  // in the steady state
  const auto timeline = timeline_of(activity);
  EXPECT_EQ(steady_window(activity)->start, 195);
  EXPECT_EQ(timeline->launches, 3);
  EXPECT_EQ(timeline->allocations, 1);
  EXPECT_EQ(timeline->allocation_ns, 60);
}

TEST(Timeline, OfWhatTheUserMarkedClipsWorkAtItsEnds) {
  Activity activity{.work = {kernel(0, 100), kernel(100, 200), kernel(200, 400)}};
  activity.marked = Interval{50, 300};
  const auto timeline = timeline_of(activity);
  EXPECT_EQ(timeline->window_ns, 250);
  EXPECT_EQ(timeline->busy_ns, 250);
  EXPECT_EQ(timeline->launches, 2);
}

TEST(Timeline, CountsCallsOfTheDriverUnderTheRuntimeOnce) {
  Activity activity{.work = {kernel(20, 30)}};
  activity.calls = {call(HostCall::Kind::kLaunch, 10, 18), call(HostCall::Kind::kLaunch, 12, 17),
                    call(HostCall::Kind::kSync, 19, 29), call(HostCall::Kind::kSync, 20, 28),
                    call(HostCall::Kind::kSync, 21, 25, 2)};
  const auto timeline = timeline_of(activity);
  EXPECT_EQ(timeline->launch_api_ns, 8);
  EXPECT_EQ(timeline->syncs, 2);
  EXPECT_EQ(timeline->sync_ns, 14);
}

TEST(Timeline, TellsHostCopiesFromDeviceCopiesAndSumsWhatIsPageable) {
  Activity activity{.work = {kernel(0, 10),
                             {GpuWork::Kind::kHostCopy, {10, 30}, 4096, true},
                             {GpuWork::Kind::kHostCopy, {30, 35}, 1000, false},
                             {GpuWork::Kind::kDeviceCopy, {35, 45}, 500, false}}};
  const auto timeline = timeline_of(activity);
  EXPECT_EQ(timeline->copies, 2);
  EXPECT_EQ(timeline->copy_ns, 25);
  EXPECT_EQ(timeline->pageable_copy_bytes, 4096);
  EXPECT_EQ(timeline->busy_ns, 45);
}

TEST(Timeline, AGraphThatWasRecordedAsAWholeIsWorkButNoKernel) {
  Activity activity{.work = {{GpuWork::Kind::kGraph, {100, 200}}}};
  activity.calls = {call(HostCall::Kind::kGraphLaunch, 80, 90)};
  const auto timeline = timeline_of(activity);
  EXPECT_EQ(timeline->graph_launches, 1);
  EXPECT_EQ(timeline->launches, 0);
  EXPECT_EQ(timeline->busy_ns, 100);
  EXPECT_EQ(timeline->median_kernel_ns, 0);
}

}  // namespace
}  // namespace kp::profile

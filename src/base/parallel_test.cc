// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <vector>

#include "base/stop.h"

namespace kp {
namespace {

TEST(Parallel, VisitsEveryIndexExactlyOnce) {
  std::vector<std::atomic<int>> visits(10'000);
  parallel_for(visits.size(), 8, [&](std::size_t i) { ++visits[i]; });
  for (const std::atomic<int>& count : visits) ASSERT_EQ(count, 1);
}

TEST(Parallel, DoesNothingForNothingAndWorksOnOneThread) {
  int calls = 0;
  parallel_for(0, 4, [&](std::size_t) { ++calls; });
  EXPECT_EQ(calls, 0);
  parallel_for(3, 0, [&](std::size_t) { ++calls; });
  EXPECT_EQ(calls, 3);
}

TEST(Parallel, EnvironmentOverridesTheCoreCount) {
  ::setenv("KERNELPRO_THREADS", "3", 1);
  EXPECT_EQ(available_cores(), 3u);
  ::setenv("KERNELPRO_THREADS", "none", 1);
  EXPECT_GE(available_cores(), 1u);
  ::unsetenv("KERNELPRO_THREADS");
  EXPECT_GE(available_cores(), 1u);
}

TEST(StopFlag, IsSeenByRunningWork) {
  StopFlag stop;
  std::atomic<int> done{0};
  parallel_for(100, 1, [&](std::size_t i) {
    if (i == 9) stop.request();
    if (!stop.requested()) ++done;
  });
  EXPECT_EQ(done, 9);
}

}  // namespace
}  // namespace kp

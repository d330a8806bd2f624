// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "task/task.h"

namespace kp::task {
namespace {

Launch launch_of(const std::string& text) {
  const auto parsed = parse_plan("/* kernelpro launch " + text + " */", "k.cu");
  EXPECT_TRUE(parsed) << parsed.error().text();
  return std::get<Launch>(parsed->plan.steps.at(0));
}

TEST(ResolveLaunch, EvaluatesEveryDimension) {
  const Launch launch =
      launch_of("k<<<(ceil_div(n, 32), 6, 2), (B, 2), B * 8>>>() cluster(2, 3) cooperative");
  const auto resolved = resolve_launch(launch, {{"n", 100}, {"B", 64}});
  ASSERT_TRUE(resolved) << resolved.error().text();
  EXPECT_EQ(resolved->launch, &launch);
  EXPECT_EQ(resolved->grid[0], 4u);
  EXPECT_EQ(resolved->grid[1], 6u);
  EXPECT_EQ(resolved->grid[2], 2u);
  EXPECT_EQ(resolved->block[0], 64u);
  EXPECT_EQ(resolved->block[1], 2u);
  EXPECT_EQ(resolved->block[2], 1u);
  EXPECT_EQ(resolved->cluster[1], 3u);
  EXPECT_EQ(resolved->shared_bytes, 512u);
}

TEST(ResolveLaunch, AcceptsTheLimitsAndNothingBeyond) {
  const auto error = [](const std::string& text) {
    const Launch launch = launch_of(text);
    const auto resolved = resolve_launch(launch, {});
    return resolved ? std::string("no error") : resolved.error().message;
  };
  EXPECT_EQ(error("k<<<(2147483647, 65535, 65535), (16, 1, 64), 232448>>>()"), "no error");
  EXPECT_EQ(error("k<<<2147483648, 1>>>()"), "grid x = `2147483648` is 2147483648");
  EXPECT_EQ(error("k<<<(1, 1, 65536), 1>>>()"), "grid z = `65536` is 65536");
  EXPECT_EQ(error("k<<<1, 1025>>>()"), "block x = `1025` is 1025");
  EXPECT_EQ(error("k<<<1, (32, 33)>>>()"), "a block of 1056 threads");
  EXPECT_EQ(error("k<<<1, 1, 232449>>>()"), "dynamic shared memory `232449` is 232449 bytes");
  EXPECT_EQ(error("k<<<1, 1, -1>>>()"), "dynamic shared memory `-1` is -1 bytes");
  EXPECT_EQ(error("k<<<32, 1>>>() cluster(17)"), "cluster x = `17` is 17");
}

TEST(ResolveLaunch, SaysWhichNameHasNoValue) {
  const Launch launch = launch_of("k<<<n, 1>>>()");
  const auto resolved = resolve_launch(launch, {});
  ASSERT_FALSE(resolved);
  EXPECT_EQ(resolved.error().text(), "k.cu:1:21: `n` has no value in `n`");
}

}  // namespace
}  // namespace kp::task

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>

#include "profile/source.h"

namespace kp::profile {
namespace {

device::BoundLaunch launch_of(std::string kernel, std::uint32_t blocks, std::uint32_t threads) {
  device::BoundLaunch launch{.kernel = std::move(kernel)};
  launch.shape.grid[0] = blocks;
  launch.shape.block[0] = threads;
  launch.shape.shared_bytes = 1024;
  return launch;
}

struct ProfileScene {
  build::Binary binary;
  device::Description device;
  std::vector<device::BoundStep> steps;
  device::TimeReport timing;

  ProfileScene() {
    Result<DeviceSpec> spec = read_device_spec(KP_SOURCE_DIR "/specs/h200.toml");
    EXPECT_TRUE(spec.has_value());
    device.name = "vgpu:h200";
    device.spec = *spec;
    binary.resources = {{.kernel = "first",
                         .registers = 64,
                         .static_shared = 512,
                         .spill_stores = 8,
                         .spill_loads = 16}};
    steps = {launch_of("first", 1056, 256), device::BoundZero{}, launch_of("second", 10, 32)};
    timing.launches = {{.kernel = "first", .step = 0, .nanoseconds = 300},
                       {.kernel = "second", .step = 2, .nanoseconds = 100}};
    timing.launches[0].metrics.set(metric::kDuration, 300, Grade::kModelled);
    timing.launches[0].lines = {{.file = "k.cu", .line = 7}};
  }
  Profile collected() const {
    Result<Profile> profile = collect({binary, device, steps, timing, "small"});
    EXPECT_TRUE(profile.has_value());
    return *profile;
  }
};

TEST(Collect, MakesOneEntryForEachLaunchWithItsShareOfTheTime) {
  const Profile profile = ProfileScene().collected();
  ASSERT_EQ(profile.kernels.size(), 2u);
  EXPECT_EQ(profile.kernels[0].launch, 0);
  EXPECT_EQ(profile.kernels[1].launch, 2);
  EXPECT_DOUBLE_EQ(profile.kernels[0].share, 0.75);
  EXPECT_DOUBLE_EQ(profile.kernels[1].share, 0.25);
  EXPECT_EQ(profile.device, "vgpu:h200");
  EXPECT_EQ(profile.workload, "small");
  EXPECT_EQ(profile.source, "vgpu, ptxas");
}

TEST(Collect, TakesCountsAndLinesFromTheDevice) {
  const Profile profile = ProfileScene().collected();
  EXPECT_EQ(profile.kernels[0].metrics.get(metric::kDuration), 300);
  EXPECT_EQ(profile.kernels[0].metrics.find(metric::kDuration.name)->grade, Grade::kModelled);
  ASSERT_EQ(profile.kernels[0].lines.size(), 1u);
  EXPECT_EQ(profile.kernels[0].lines[0].line, 7);
}

TEST(Collect, AddsCompilerFactsAndOccupancyAsStatic) {
  const MetricSet metrics = ProfileScene().collected().kernels[0].metrics;
  EXPECT_EQ(metrics.get(metric::kRegisters), 64);
  EXPECT_EQ(metrics.get(metric::kSpillBytes), 24);
  EXPECT_EQ(metrics.get(metric::kStackBytes), 0);
  EXPECT_EQ(metrics.get(metric::kSharedPerBlock), 1536);
  EXPECT_EQ(metrics.get(metric::kTheoreticalOccupancy), 50);
  EXPECT_EQ(metrics.get(metric::kLimitRegisters), 4);
  EXPECT_EQ(metrics.get(metric::kLimitWarps), 8);
  EXPECT_EQ(metrics.get(metric::kLimitBlocks), 32);
  EXPECT_EQ(metrics.get(metric::kWaves), 2);
  EXPECT_EQ(metrics.get(metric::kGridSize), 1056);
  EXPECT_EQ(metrics.find(metric::kRegisters.name)->grade, Grade::kStatic);
}

TEST(Collect, LeavesUnknownWhatTheCompilerDidNotSay) {
  const MetricSet metrics = ProfileScene().collected().kernels[1].metrics;
  EXPECT_EQ(metrics.get(metric::kBlockSize), 32);
  EXPECT_FALSE(metrics.get(metric::kRegisters));
  EXPECT_FALSE(metrics.get(metric::kTheoreticalOccupancy));
  EXPECT_FALSE(metrics.get(metric::kWaves));
}

TEST(Collect, DoesNotAskTheVirtualGpuAboutARealOne) {
  ProfileScene scene;
  scene.device.timing = Grade::kMeasured;
  const Profile profile = scene.collected();
  EXPECT_EQ(profile.source, "ptxas") << "there is no hardware to ask either";
  EXPECT_FALSE(profile.kernels[0].metrics.get(metric::kDuration));
  EXPECT_EQ(profile.kernels[0].metrics.get(metric::kRegisters), 64);
}

TEST(Sources, HaveDistinctNames) {
  std::set<std::string_view> names;
  for (const auto& source : sources()) EXPECT_TRUE(names.insert(source->name()).second);
}

}  // namespace
}  // namespace kp::profile

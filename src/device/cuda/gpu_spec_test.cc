// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/gpu_spec.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kp::device::cuda {
namespace {

/// CUdevice_attribute 75 and 76 are the compute capability, 16 counts SMs, 36 and 37 are the
/// memory's clock in kHz and its width in bits.
Opened gpu(const std::string& name, int major, int minor) {
  return {.name = name,
          .uuid = {},
          .attributes = {{75, major}, {76, minor}, {16, 100}, {36, 9'000'000}, {37, 384}},
          .memory_bytes = 48'000'000'000,
          .driver = 13000,
          .confined = "full"};
}

DeviceSpec spec(const Opened& opened) {
  Result<DeviceSpec> made = spec_of(opened);
  EXPECT_TRUE(made) << made.error().text();
  return made ? *std::move(made) : DeviceSpec{};
}

TEST(GpuSpec, AKnownGpuKeepsItsPeaksAndTakesTheDriversLimits) {
  const DeviceSpec h200 = spec(gpu("NVIDIA H200", 9, 0));
  EXPECT_EQ(h200.name, "h200");
  EXPECT_EQ(h200.dram_peak, 4.8e12);
  EXPECT_EQ(h200.sm_count, 100);
  EXPECT_EQ(h200.memory_bytes, 48'000'000'000);
  EXPECT_EQ(h200.shared_per_sm, 233472);  // the driver does not say
}

TEST(GpuSpec, AnUnknownGpuHasNoPeaksButWhatTheDriverTells) {
  const DeviceSpec other = spec(gpu("NVIDIA L40S", 8, 9));
  EXPECT_EQ(other.name, "l40s");
  EXPECT_EQ(other.product, "NVIDIA L40S");
  EXPECT_EQ(other.architecture, "sm_89");
  EXPECT_DOUBLE_EQ(other.dram_peak, 2 * 9e9 * 48);
  EXPECT_TRUE(std::isnan(other.dram_sustained));
  EXPECT_TRUE(std::isnan(other.flops.at(Precision::kF16)));
  EXPECT_TRUE(other.model.empty());
}

TEST(GpuSpec, AProductThatOnlyBeginsAlikeIsAnother) {
  EXPECT_EQ(spec(gpu("NVIDIA H20", 9, 0)).name, "h20");
  EXPECT_EQ(spec(gpu("NVIDIA H200 NVL", 9, 0)).name, "h200nvl");
}

TEST(GpuSpec, FormsOfLaunchAreTheDriversWord) {
  Opened opened = gpu("NVIDIA H200", 9, 0);
  opened.attributes[95] = 1;
  opened.attributes[120] = 1;
  const Result<Description> description = description_of(opened, 3);
  ASSERT_TRUE(description) << description.error().text();
  EXPECT_EQ(description->name, "cuda:3");
  EXPECT_TRUE(description->cooperative);
  EXPECT_TRUE(description->clusters);
  EXPECT_FALSE(description->tensor_maps);
}

}  // namespace
}  // namespace kp::device::cuda

// SPDX-License-Identifier: Apache-2.0
// A virtual GPU and a builder for the tests of this room that run kernels.
#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <optional>

#include "build/build.h"
#include "device/device.h"

namespace kp::harness {

class DeviceTest : public testing::Test {
 protected:
  /// Inside the build folder: nothing of a test stays in the user's own cache.
  static Path cache() { return Path(KP_BINARY_DIR) / "test-cache"; }

  void SetUp() override {
    if (!build::find_toolchain()) GTEST_SKIP() << "skipped: no CUDA toolkit";
    auto device = device::open_device("vgpu:h200");
    ASSERT_TRUE(device.has_value()) << device.error().text();
    device_ = *std::move(device);
    auto builder = build::Builder::open({.cache = cache()});
    ASSERT_TRUE(builder.has_value()) << builder.error().text();
    builder_.emplace(*std::move(builder));
  }

  TemporaryFolder folder_ = *TemporaryFolder::make();
  std::unique_ptr<device::Device> device_;
  std::optional<build::Builder> builder_;
};

}  // namespace kp::harness

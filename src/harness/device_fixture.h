// SPDX-License-Identifier: Apache-2.0
// A virtual GPU and a builder for the tests of this room that run kernels; the bench of
// hardware_fixture.h for those that judge candidates as on hardware.
#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <optional>

#include "build/build.h"
#include "device/device.h"
#include "harness/hardware_fixture.h"
#include "harness/harness.h"
#include "task/task.h"

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

inline constexpr const char* kScale = R"(/* kernelpro
axis   n = 4000
check  n = 777
input  x : f32[n]
input  a : f32 = 0.1
output y : f32[n]
precision f32
buffer scratch : f32[n]
launch scale<<<ceil_div(n, 256), 256>>>(x, a, y, scratch, n)
*/
extern "C" __global__ void scale(const float* x, float a, float* y, float* scratch, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  scratch[i] = x[i];
  y[i] = a * scratch[i];
}
)";

class HardwareTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (!IsSkipped()) bench_ = std::make_unique<BenchDevice>(*device_, bend_);
  }

  /// A task of one file.
  Result<Task> task_of(const std::string& text) {
    KP_TRY_VOID(write_file(folder_.path() / "scale.cu", text));
    return task::read_task(folder_.path() / "scale.cu");
  }

  Result<Harness> open(const std::string& task_text = kScale) {
    KP_TRY(Task task, task_of(task_text));
    return Harness::open(std::move(task), *bench_, *builder_, {.cache = cache()});
  }

  Result<Evaluation> evaluate(const std::string& source, Depth depth = Depth::kQuick,
                              const std::string& task_text = kScale) {
    KP_TRY(Harness harness, open(task_text));
    KP_TRY(const Candidate candidate, task::make_candidate(harness.task(), source, "candidate.cu"));
    return harness.evaluate(candidate, depth);
  }

  Bend bend_;
  std::unique_ptr<BenchDevice> bench_;
};

}  // namespace kp::harness

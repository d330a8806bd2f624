// SPDX-License-Identifier: Apache-2.0
// Whole evaluations under each confinement that this machine allows.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "device/cuda.h"
#include "device/hardware.h"
#include "harness/harness.h"
#include "task/task.h"

namespace kp::harness {
namespace {

class GpuConfinement : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    ::setenv("KERNELPRO_SANDBOX", GetParam(), 1);
    auto opened = device::open_cuda("");
    if (!opened) GTEST_SKIP() << "skipped: no device";
    device_ = *std::move(opened);
    level_ = device_->hardware()->sandbox();
    std::printf("asked for %s, reached %s\n", GetParam(), level_.c_str());
    RecordProperty("reached", level_);
    if (level_ != GetParam()) GTEST_SKIP() << "skipped: this machine allows " << level_;
    auto builder = build::Builder::open({.cache = cache()});
    ASSERT_TRUE(builder) << builder.error().text();
    builder_.emplace(*std::move(builder));
  }
  void TearDown() override { ::unsetenv("KERNELPRO_SANDBOX"); }

  static Path cache() { return Path(KP_BINARY_DIR) / "test-cache"; }
  static Path hostile() { return Path(KP_SOURCE_DIR) / "bench" / "corpus" / "hostile"; }

  /// The verdict on a file of the hostile corpus.
  static std::string verdict(Harness& harness, const Path& file) {
    const auto source = read_text(file);
    if (!source) return source.error().text();
    const auto candidate = task::make_candidate(harness.task(), *source, file.filename());
    if (!candidate) return candidate.error().text();
    const auto evaluation = harness.evaluate(*candidate, Depth::kQuick);
    if (!evaluation) return evaluation.error().text();
    EXPECT_EQ(evaluation->sandbox, GetParam());
    std::printf("  %s: %s (sandbox %s)\n", file.filename().c_str(), summary(*evaluation).c_str(),
                evaluation->sandbox.c_str());
    return std::string(name_of(evaluation->outcome));
  }

  std::unique_ptr<device::Device> device_;
  std::optional<build::Builder> builder_;
  std::string level_;
};

TEST_P(GpuConfinement, JudgesGoodAndBadCandidates) {
  auto task = task::read_task(hostile() / "task.cu");
  ASSERT_TRUE(task) << task.error().text();
  auto harness = Harness::open(*std::move(task), *device_, *builder_, {.cache = cache()});
  ASSERT_TRUE(harness) << harness.error().text();
  EXPECT_EQ(verdict(*harness, hostile() / "good" / "large_blocks.cu"), "measured");
  EXPECT_EQ(verdict(*harness, hostile() / "bad" / "out_of_bounds_far.cu"), "crashed");
  EXPECT_EQ(verdict(*harness, hostile() / "good" / "as_it_is.cu"), "measured");
}

INSTANTIATE_TEST_SUITE_P(Levels, GpuConfinement, testing::Values("full", "landlock", "minimal"),
                         [](const auto& level) { return std::string(level.param); });

}  // namespace
}  // namespace kp::harness

// SPDX-License-Identifier: Apache-2.0
// A GPU that is not what it was after a candidate has crashed.
#include "fixture.h"

namespace kp::device::cuda {
namespace {

TEST_F(FakeGpu, AGpuThatComputesWronglyAfterACrashGetsNoFurtherCandidate) {
  EXPECT_EQ(verdict("crash"), "trap");
  const Told told("wrong");
  const auto loaded = device_->load(binary_of("copy"));
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(loaded.error().message,
            "the GPU does not answer as before: a known kernel gives another answer");
}

TEST_F(FakeGpu, AGpuThatBecameSlowAfterATimeoutGetsNoFurtherCandidate) {
  EXPECT_EQ(verdict("hang"), "timed out");
  const Told told("slow");
  const auto loaded = device_->load(binary_of("copy"));
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(loaded.error().message.find("a copy reaches"), std::string::npos)
      << loaded.error().message;
}

TEST_F(FakeGpu, GoesOnWhenTheGpuIsWellAgain) {
  EXPECT_EQ(verdict("fault 700"), "memory");
  {
    const Told told("slow");
    EXPECT_FALSE(device_->load(binary_of("copy")));
  }
  EXPECT_EQ(verdict("copy"), "right");
}

TEST_F(FakeGpu, ARefusedLaunchPutsNothingInDoubt) {
  EXPECT_EQ(verdict("refuse 701"), "out of resources");
  const Told told("slow");
  EXPECT_EQ(verdict("copy"), "right");
}

}  // namespace
}  // namespace kp::device::cuda

// SPDX-License-Identifier: Apache-2.0
#include "profile/program.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace kp::profile {
namespace {

/// The library is a file of no meaning here: the programs are shell scripts that write, in its
/// place, what it wrote on an H200.
class Program : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(write_file(folder_.path() / "libkernelpro-inject.so", ""));
    std::filesystem::permissions(folder_.path() / "libkernelpro-inject.so",
                                 std::filesystem::perms::owner_all);
    ::setenv("KERNELPRO_LIBEXEC", folder_.path().c_str(), 1);
    ::setenv("SAMPLES", KP_SOURCE_DIR "/src/profile/testdata/trace", 1);
  }
  void TearDown() override { ::unsetenv("KERNELPRO_LIBEXEC"); }

  Result<Recording> record(const std::string& script) {
    return record_program({.command = {"sh", "-c", script},
                           .deadline = std::chrono::seconds(60),
                           .to_standard_error = true});
  }

 private:
  TemporaryFolder folder_ = TemporaryFolder::make().value();
};

constexpr const char* kBoth =
    "if [ -e $KERNELPRO_RECORD/request ]; then cp $SAMPLES/app_counts.txt "
    "$KERNELPRO_RECORD/counts.7; else cp $SAMPLES/app.txt $KERNELPRO_RECORD/trace.5; fi";

TEST_F(Program, IsRunOnceForItsTimeAndOnceForItsCounters) {
  const auto recording = record(kBoth);
  ASSERT_TRUE(recording) << recording.error().text();
  EXPECT_EQ(recording->device, "NVIDIA H200");
  ASSERT_EQ(recording->kernels.size(), 8u);
  EXPECT_TRUE(recording->kernels[0].profile.metrics.get(metric::kInstructions));
  EXPECT_TRUE(recording->timeline);
}

TEST_F(Program, ThatNeverStartsCudaIsToldSo) {
  const auto recording = record("true");
  ASSERT_FALSE(recording);
  EXPECT_EQ(recording.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(recording.error().message.find("did not start CUDA"), std::string::npos);
}

TEST_F(Program, ThatFailsBeforeItsFirstKernelIsAtFaultItself) {
  const auto recording = record("exit 3");
  ASSERT_FALSE(recording);
  EXPECT_EQ(recording.error().code, ErrorCode::kInvalidInput);
  EXPECT_NE(recording.error().message.find("exit status 3"), std::string::npos);
}

TEST_F(Program, ThatFailsLaterIsStillDiagnosed) {
  const auto recording = record(std::string(kBoth) + "; exit 4");
  ASSERT_TRUE(recording) << recording.error().text();
  EXPECT_EQ(recording->kernels.size(), 8u);
  ASSERT_FALSE(recording->notes.empty());
  EXPECT_NE(recording->notes[0].find("exit status 4"), std::string::npos);
}

TEST_F(Program, WithoutCountersKeepsItsTimes) {
  const auto recording = record(
      "if [ -e $KERNELPRO_RECORD/request ]; then printf 'kernelpro-counts 1\\nx forbidden\\n' "
      ">$KERNELPRO_RECORD/counts.7; else cp $SAMPLES/app.txt $KERNELPRO_RECORD/trace.5; fi");
  ASSERT_TRUE(recording) << recording.error().text();
  EXPECT_FALSE(recording->kernels[0].profile.metrics.get(metric::kInstructions));
  ASSERT_FALSE(recording->notes.empty());
  EXPECT_EQ(recording->notes[0], "forbidden");
}

TEST_F(Program, OfSeveralProcessesTheOneWithTheMostGpuTimeCounts) {
  const auto recording = record(
      "if [ ! -e $KERNELPRO_RECORD/request ]; then cp $SAMPLES/app.txt $KERNELPRO_RECORD/trace.5; "
      "printf 'kernelpro-trace 1\\nn 0 a\\nk 0 1 9 0 7 1 1 1 32 1 1 16 0 0 0 0\\ne 0\\n' "
      ">$KERNELPRO_RECORD/trace.6; fi");
  ASSERT_TRUE(recording) << recording.error().text();
  EXPECT_EQ(recording->kernels.size(), 8u);
  EXPECT_NE(recording->notes[0].find("1 other process"), std::string::npos);
}

TEST_F(Program, ThatWritesIntoItsOwnRecordingIsRefused) {
  const auto recording = record("echo nonsense >$KERNELPRO_RECORD/trace.5");
  ASSERT_FALSE(recording);
  EXPECT_EQ(recording.error().code, ErrorCode::kCorrupt);
}

TEST_F(Program, ThatDoesNotExistIsNotFound) {
  const auto recording = record_program({.command = {"no-such-program-here"}});
  ASSERT_FALSE(recording);
  EXPECT_EQ(recording.error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace kp::profile

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
                           .via = Via::kInject,
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

/// A folder in front of PATH with an `ncu` that runs `script`; LOG is where it has to write.
class WithNsight : public Program {
 protected:
  void SetUp() override {
    Program::SetUp();
    path_ = std::getenv("PATH");
    ::setenv("PATH", (tools_.path().string() + ":" + path_).c_str(), 1);
  }
  void TearDown() override {
    ::setenv("PATH", path_.c_str(), 1);
    Program::TearDown();
  }
  void ncu(const std::string& script) {
    const Path file = tools_.path() / "ncu";
    ASSERT_TRUE(write_file(file,
                           "#!/bin/sh\nwhile [ $1 != --log-file ]; do shift; done\nLOG=$2\n"
                           "shift 2\nSAMPLES=" KP_SOURCE_DIR "/src/profile/testdata/ncu\n" +
                               script));
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  }
  static Result<Recording> by(Via via, const std::string& script) {
    return record_program({.command = {"sh", "-c", script},
                           .via = via,
                           .deadline = std::chrono::seconds(60),
                           .to_standard_error = true});
  }

 private:
  TemporaryFolder tools_ = TemporaryFolder::make().value();
  std::string path_;
};

constexpr const char* kUncounted =
    "[ -e $KERNELPRO_RECORD/request ] || cp $SAMPLES/app.txt $KERNELPRO_RECORD/trace.5";

TEST_F(WithNsight, IsCountedByItWhenThatIsAskedFor) {
  ncu("cp $SAMPLES/raw_base.csv $LOG\n");
  const auto recording = by(Via::kNcu, "true");
  ASSERT_TRUE(recording) << recording.error().text();
  EXPECT_EQ(recording->source, "ncu");
  ASSERT_FALSE(recording->kernels.empty());
}

TEST_F(WithNsight, IsCountedByItWhereTheLibraryReadsNoCounters) {
  ncu("cp $SAMPLES/raw_base.csv $LOG\n");
  const auto recording = by(Via::kAny, kUncounted);
  ASSERT_TRUE(recording) << recording.error().text();
  EXPECT_EQ(recording->source, "ncu");
  EXPECT_TRUE(recording->timeline) << "of the library's first run";
  const auto alone = by(Via::kInject, kUncounted);
  ASSERT_TRUE(alone) << alone.error().text();
  EXPECT_EQ(alone->source, "cupti");
}

TEST_F(WithNsight, IsCountedByItWhereTheLibrarySeesNothing) {
  ncu("cp $SAMPLES/raw_base.csv $LOG\n");
  const auto recording = by(Via::kAny, "true");
  ASSERT_TRUE(recording) << recording.error().text();
  EXPECT_EQ(recording->source, "ncu");
  EXPECT_NE(recording->notes.front().find("did not start CUDA"), std::string::npos);
}

TEST_F(WithNsight, KeepsItsTimesWhereThatMayNotCountEither) {
  ncu("cp $SAMPLES/denied.txt $LOG\n");
  const auto recording = by(Via::kAny, kUncounted);
  ASSERT_TRUE(recording) << recording.error().text();
  EXPECT_EQ(recording->source, "cupti");
  EXPECT_EQ(recording->kernels.size(), 8u);
  EXPECT_NE(recording->notes.back().find("no counters either"), std::string::npos);
}

TEST_F(WithNsight, IsNotRunAgainWhenItFailsByItself) {
  ncu("touch $LOG.ran; cp $SAMPLES/raw_base.csv $LOG\n");
  const auto recording = by(Via::kAny, "exit 3");
  ASSERT_FALSE(recording);
  EXPECT_NE(recording.error().message.find("exit status 3"), std::string::npos);
}

TEST_F(Program, WhoseMachineCodeCannotBeReadIsToldSo) {
  const auto recording = record(std::string(kBoth) +
                                "; [ ! -e $KERNELPRO_RECORD/request ] || echo nonsense "
                                ">$KERNELPRO_RECORD/module.7.0");
  ASSERT_TRUE(recording) << recording.error().text();
  ASSERT_FALSE(recording->notes.empty());
  EXPECT_NE(recording->notes.back().find("machine code is unknown"), std::string::npos);
}

TEST_F(Program, ThatDoesNotExistIsNotFound) {
  const auto recording = record_program({.command = {"no-such-program-here"}});
  ASSERT_FALSE(recording);
  EXPECT_EQ(recording.error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace kp::profile
